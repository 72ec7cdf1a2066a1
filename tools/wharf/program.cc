#include "tools/wharf/program.h"

#include <cstring>

#include <fmt/core.h>

#include "tools/wharf/duration_text.h"

namespace wharf::tool {
namespace {

constexpr std::chrono::seconds kConnectPatience(10);

}  // namespace

ExitCode Program::Run() {
  client_.emplace(address);
  if (const Status status = client_->Connect(kConnectPatience); !status.ok()) return Fail(status);
  return action();
}

ExitCode Program::Fail(const Status& status) {
  PrintError(status);
  if (status.outcome() == Outcome::kUnknown) return ExitCode::kUnknown;
  if (status.code() == ErrorCode::kServiceCommunicationProblem) return ExitCode::kNotReachable;
  return ExitCode::kFailed;
}

ExitCode Program::FailUsage(const Status& status) {
  PrintError(status);
  return ExitCode::kUsage;
}

void Program::PrintError(const Status& status) {
  if (!is_json) return err.Print("wharf: {}\n", status.ToString());
  const bool is_unknown = status.outcome() == Outcome::kUnknown;
  err.PrintJson({{"error", ReasonOf(status.code())},
                 {"message", status.message()},
                 {"outcome", is_unknown ? "unknown" : "not-done"}});
}

ExitCode Program::Finish(ExitCode code) {
  if (out.Flush()) return code;
  if (!out.is_reader_gone()) {
    PrintError({ErrorCode::kGeneralError,
                fmt::format("the output cannot be written: {}", std::strerror(out.error()))});
  }
  return code == ExitCode::kOk ? ExitCode::kFailed : code;
}

ExitCode PrintDone(Program& program, const std::string& what, std::int64_t count) {
  if (program.is_json) {
    program.out.PrintJson({{what, count}});
  } else {
    program.out.Print("{} {}\n", what, count);
  }
  return ExitCode::kOk;
}

CLI::Option* AddDurationOption(CLI::App& command, const std::string& name, Duration& duration,
                               const std::string& help) {
  const auto parse = [&duration](const std::string& text) {
    const Result<Duration> parsed = ParseDuration(text);
    if (!parsed.ok()) throw CLI::ValidationError(parsed.status().message());
    duration = *parsed;
  };
  return command.add_option_function<std::string>(name, parse, help)
      ->type_name("DURATION")
      ->default_str(FormatDuration(duration));
}

std::string DeadLetterPath(const std::string& queue) { return queue + "/$DeadLetterQueue"; }

}  // namespace wharf::tool
