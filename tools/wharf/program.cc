#include "tools/wharf/program.h"

#include <cstdio>

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

void PrintError(const Status& status) { fmt::print(stderr, "wharf: {}\n", status.ToString()); }

ExitCode Fail(const Status& status) {
  PrintError(status);
  if (status.outcome() == Outcome::kUnknown) return ExitCode::kUnknown;
  if (status.code() == ErrorCode::kServiceCommunicationProblem) return ExitCode::kNotReachable;
  return ExitCode::kFailed;
}

ExitCode FailUsage(const Status& status) {
  PrintError(status);
  return ExitCode::kUsage;
}

void PrintJson(const Json& json) { fmt::print("{}\n", ToLine(json)); }

ExitCode PrintDone(const Program& program, const std::string& what, std::int64_t count) {
  if (program.is_json) {
    PrintJson({{what, count}});
  } else {
    fmt::print("{} {}\n", what, count);
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
