// The `wharf` command line: queues, topics, messages and measurements, for people and scripts.

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "tools/command_line/arguments.h"
#include "tools/command_line/usage_error.h"
#include "tools/wharf/access/access_command.h"
#include "tools/wharf/access/context_command.h"
#include "tools/wharf/backup/backup_command.h"
#include "tools/wharf/bench/bench_command.h"
#include "tools/wharf/cluster/cluster_command.h"
#include "tools/wharf/definitions/definitions_command.h"
#include "tools/wharf/entities/purge_command.h"
#include "tools/wharf/entities/queue_command.h"
#include "tools/wharf/entities/rule_command.h"
#include "tools/wharf/entities/subscription_command.h"
#include "tools/wharf/entities/topic_command.h"
#include "tools/wharf/jobs/delete_messages_command.h"
#include "tools/wharf/jobs/delete_selected_command.h"
#include "tools/wharf/jobs/job_command.h"
#include "tools/wharf/jobs/redrive_command.h"
#include "tools/wharf/messages/message_command.h"
#include "tools/wharf/messages/peek_command.h"
#include "tools/wharf/messages/scheduled_command.h"
#include "tools/wharf/messages/send_command.h"
#include "tools/wharf/messages/trace_command.h"
#include "tools/wharf/program.h"
#include "tools/wharf/receiving/deferred_command.h"
#include "tools/wharf/receiving/locks_command.h"
#include "tools/wharf/receiving/receive_command.h"
#include "tools/wharf/receiving/renew_command.h"
#include "tools/wharf/receiving/settle_command.h"
#include "tools/wharf/service/check_command.h"
#include "tools/wharf/service/clock_command.h"
#include "tools/wharf/service/connection_command.h"
#include "tools/wharf/service/disk_command.h"
#include "tools/wharf/service/help_command.h"
#include "tools/wharf/service/stats_command.h"
#include "tools/wharf/sessions/session_command.h"
#include "tools/wharf/top/top_command.h"
#include "tools/wharf/transactions/transaction_command.h"
#include "tools/wharf/transfer/messages_command.h"

namespace wharf::tool {
namespace {

void AddEverything(CLI::App& app, Program& program) {
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(std::string(kExitCodesHelp));
  app.set_help_flag("--help,-h", "Show this help");
  app.set_version_flag("--version", "", "Print the version; wharf stats tells that of the broker");
  // To say nothing is to say something else.
  const auto take_address = [&program](const std::string& text) {
    if (text.empty()) {
      throw CLI::ValidationError(
          "--address", "the address is empty; write host:port, for example 127.0.0.1:5680");
    }
    program.given.address = text;
  };
  app.add_option_function<std::string>("--address", take_address,
                                       "The broker; of several nodes some or all, with commas "
                                       "between them: the one that leads is found. Said as an "
                                       "option it goes before where a connection string leads")
      ->envname("WHARF_ADDRESS")
      ->type_name("HOST:PORT[,...]")
      ->default_str("127.0.0.1:5680");
  app.add_option("--connection-string", program.given.connection_string,
                 "Where the broker is and what proves who you are: @FILE has it, - is the standard "
                 "input, or the text itself, which others can then read")
      ->envname("WHARF_CONNECTION_STRING")
      ->type_name("TEXT");
  app.add_option("--context", program.given.context,
                 "A connection string that was kept with `wharf context add`")
      ->envname("WHARF_CONTEXT")
      ->type_name("NAME");
  AddTlsOptions(app, program.tls);
  AddDurationOption(app, "--connect-timeout", program.connect_timeout,
                    "How long to wait for a broker that does not answer")
      ->envname("WHARF_CONNECT_TIMEOUT");
  app.add_flag("--json", program.is_json,
               "Print JSON: a line for each message, one object for everything else");
  AddQueueCommand(app, program);
  AddTopicCommand(app, program);
  AddSubscriptionCommand(app, program);
  AddRuleCommand(app, program);
  AddSendCommand(app, program);
  AddReceiveCommand(app, program);
  AddPeekCommand(app, program);
  AddSettleCommand(app, program);
  AddRenewCommand(app, program);
  AddSessionCommand(app, program);
  AddTransactionCommand(app, program);
  AddMessageCommand(app, program);
  AddMessagesCommand(app, program);
  AddTraceCommand(app, program);
  AddDeferredCommand(app, program);
  AddScheduledCommand(app, program);
  AddDeleteMessagesCommand(app, program);
  AddPurgeCommand(app, program);
  AddLocksCommand(app, program);
  AddRedriveCommand(app, program);
  AddDeleteSelectedCommand(app, program);
  AddJobCommand(app, program);
  AddDefinitionsCommand(app, program);
  AddCheckCommand(app, program);
  AddConnectionCommand(app, program);
  AddStatsCommand(app, program);
  AddDiskCommand(app, program);
  AddTopCommand(app, program);
  AddAccessCommand(app, program);
  AddConnectionStringCommand(app, program);
  AddContextCommand(app, program);
  AddClusterCommand(app, program);
  AddBackupCommand(app, program);
  AddClockCommand(app, program);
  AddBenchCommand(app, program);
  AddHelpCommands(app, program);
}

// The parser may have given up before it came to --json.
bool AsksForJson(int argc, char** argv) {
  const char* const* end = std::find(argv, argv + argc, std::string_view("--"));
  return std::find(const_cast<const char* const*>(argv), end, std::string_view("--json")) != end;
}

// The value of an option that stands in the command line itself, not in a variable.
std::optional<std::string_view> SaidIn(int argc, char** argv, std::string_view option) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == option && i + 1 < argc) return argv[i + 1];
    const bool is_here =
        argument.starts_with(option) && argument.substr(option.size()).starts_with('=');
    if (is_here) return argument.substr(option.size() + 1);
  }
  return std::nullopt;
}

// In the command line, and not by the name of a file.
bool ShowsSecret(int argc, char** argv) {
  const auto value = SaidIn(argc, argv, "--connection-string");
  return value && *value != "-" && !value->starts_with('@');
}

ExitCode Refuse(const CLI::App& app, const CLI::ParseError& error, Program& program) {
  if (!program.is_json && command_line::IsBare(app, error)) {
    program.err.Write(HelpOfChosen(app, program.err));
    return ExitCode::kUsage;
  }
  return program.FailUsage({ErrorCode::kArgumentError, command_line::UsageSentence(app, error)});
}

ExitCode ParseAndRun(int argc, char** argv, Program& program) {
  CLI::App app("The command line of Wharf, a durable message broker", "wharf");
  AddEverything(app, program);
  program.is_json = AsksForJson(argc, argv);
  program.given.is_in_clear = ShowsSecret(argc, argv);
  program.given.is_address_said = SaidIn(argc, argv, "--address").has_value();
  try {
    app.parse(command_line::ReversedArguments(argc, argv));
  } catch (const CLI::CallForHelp&) {
    program.out.Write(HelpOfChosen(app, program.out));
    return ExitCode::kOk;
  } catch (const CLI::CallForVersion&) {
    program.out.Print("wharf {}\n", WHARF_VERSION);
    return ExitCode::kOk;
  } catch (const CLI::ParseError& error) {
    return Refuse(app, error, program);
  }
  return program.Run();
}

// What went wrong is told once, in our words; GRPC_VERBOSITY brings those of gRPC back.
void SilenceLibraries() {
  if (std::getenv("GRPC_VERBOSITY") != nullptr) return;
  gpr_set_log_function([](gpr_log_func_args*) {});
  google::protobuf::SetLogHandler(nullptr);
}

int Main(int argc, char** argv) {
  ReserveStandardStreams();
  SilenceLibraries();
  // A reader that goes away is a failed write, not the end: messages must still be released.
  std::signal(SIGPIPE, SIG_IGN);
  Program program;
  return static_cast<int>(program.Finish(ParseAndRun(argc, argv, program)));
}

}  // namespace
}  // namespace wharf::tool

int main(int argc, char** argv) { return wharf::tool::Main(argc, argv); }
