#include "tools/wharf/program.h"

#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "storage/base/broker_clock.h"
#include "storage/base/duration_text.h"
#include "tools/client/reconnection.h"
#include "tools/wharf/text/address.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {

ExitCode Program::Run() {
  WarnOfSecrets();
  if (local_action_) return local_action_();
  const Result<ChosenConnection> chosen = ChooseConnection(given);
  if (!chosen.ok()) return FailUsage(chosen.status());
  const access::ConnectionString& connection = chosen->connection;
  const bool is_plain =
      given.connection_string.empty() && given.context.empty() && !given.address.empty();
  const std::string address =
      is_plain || given.is_address_said ? given.address : AddressOf(connection);
  if (const Status checked = CheckAddresses(address); !checked.ok()) return FailUsage(checked);
  tls.TakeMissing(chosen->tls);
  tls.is_wanted = tls.is_wanted || NeedsTls(connection, address);
  const auto credentials = CredentialsOf(tls);
  if (!credentials.ok()) return FailUsage(credentials.status());
  target_ = {address, *credentials,
             client::TokensOf(connection, BrokerClock::SystemSources().wall)};
  target_.server_name = tls.server_name;
  if (const char* trace = std::getenv("TRACEPARENT")) target_.traceparent = trace;
  const bool is_safe = *credentials != nullptr || LetsGoInClear(connection, address);
  if (!is_safe && connection.has_secret()) target_.may_follow = IsLoopback;
  client_.emplace(target_);
  const Status connected =
      asks_any_node ? client_->ConnectToAny(connect_timeout) : client_->Connect(connect_timeout);
  if (connected.ok()) return action();
  if (target_.addresses().size() > 1 || HasKnownHost(address)) return Fail(connected);
  return Fail({connected.code(), fmt::format("there is no host \"{}\"", HostOf(address))});
}

void Program::WarnOfSecrets() {
  if (!given.is_in_clear) return;
  constexpr const char* kWarning =
      "the connection string stands in the command line, where others can read it; say "
      "--connection-string @FILE, - for the standard input, or WHARF_CONNECTION_STRING";
  if (is_json) return err.PrintJson({{"warning", kWarning}});
  err.Print("wharf: {}\n", kWarning);
}

namespace {

// The broker says how a program of somebody else proves something; here an option does.
Status WithTheWayIn(const Status& refusal) {
  return {refusal.code(),
          "there is no token: say --connection-string @FILE, for example with the file "
          "root-connection-string of the broker's data folder, or --context NAME",
          refusal.outcome()};
}

}  // namespace

ExitCode Program::Fail(const Status& status) {
  const bool proves_nothing = target_.tokens == nullptr && tls.certificate.empty();
  const bool is_stranger = status.code() == ErrorCode::kUnauthorized && proves_nothing;
  PrintError(is_stranger ? WithTheWayIn(status) : status);
  if (status.outcome() == Outcome::kUnknown) return ExitCode::kUnknown;
  if (client::Reconnection::IsLost(status)) return ExitCode::kNotReachable;
  return ExitCode::kFailed;
}

ExitCode Program::FailUsage(const Status& status) {
  if (is_json) {
    PrintErrorJson(status);
  } else {
    // The sentence may quote a file.
    err.Print("wharf: {}\n", PrintableLines(status.message()));
  }
  return ExitCode::kUsage;
}

void Program::PrintError(const Status& status) {
  if (is_json) return PrintErrorJson(status);
  // The sentence may quote what others have sent.
  err.Print("wharf: {}\n", Printable(status.ToString()));
}

void Program::PrintErrorJson(const Status& status) {
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
  const auto parse = [&duration, name](const std::string& text) {
    const Result<Duration> parsed = ParseDuration(text);
    if (!parsed.ok()) throw CLI::ValidationError(name, parsed.status().message());
    duration = *parsed;
  };
  return command.add_option_function<std::string>(name, parse, help)
      ->type_name("DURATION")
      ->default_str(FormatDuration(duration));
}

}  // namespace wharf::tool
