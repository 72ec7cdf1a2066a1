// The `wharf` command line: queues, topics, messages and measurements, for people and scripts.

#include <csignal>
#include <sstream>

#include <CLI/CLI.hpp>

#include "tools/wharf/bench_command.h"
#include "tools/wharf/clock_command.h"
#include "tools/wharf/deferred_command.h"
#include "tools/wharf/delete_messages_command.h"
#include "tools/wharf/delete_selected_command.h"
#include "tools/wharf/job_command.h"
#include "tools/wharf/message_command.h"
#include "tools/wharf/peek_command.h"
#include "tools/wharf/program.h"
#include "tools/wharf/purge_command.h"
#include "tools/wharf/queue_command.h"
#include "tools/wharf/receive_command.h"
#include "tools/wharf/redrive_command.h"
#include "tools/wharf/renew_command.h"
#include "tools/wharf/rule_command.h"
#include "tools/wharf/scheduled_command.h"
#include "tools/wharf/send_command.h"
#include "tools/wharf/session_command.h"
#include "tools/wharf/settle_command.h"
#include "tools/wharf/stats_command.h"
#include "tools/wharf/subscription_command.h"
#include "tools/wharf/topic_command.h"
#include "tools/wharf/transaction_command.h"

namespace wharf::tool {
namespace {

void AddEverything(CLI::App& app, Program& program) {
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(std::string(kExitCodesHelp));
  app.add_option("--address", program.address, "The broker, host:port")
      ->envname("WHARF_ADDRESS")
      ->capture_default_str();
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
  AddDeferredCommand(app, program);
  AddScheduledCommand(app, program);
  AddDeleteMessagesCommand(app, program);
  AddPurgeCommand(app, program);
  AddRedriveCommand(app, program);
  AddDeleteSelectedCommand(app, program);
  AddJobCommand(app, program);
  AddStatsCommand(app, program);
  AddClockCommand(app, program);
  AddBenchCommand(app, program);
}

// Help is what was asked for; all else that ends the reading of arguments is bad usage.
ExitCode Report(const CLI::App& app, const CLI::ParseError& error, Program& program) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(error, out, err);
  program.out.Write(out.str());
  program.err.Write(err.str());
  return code == 0 ? ExitCode::kOk : ExitCode::kUsage;
}

ExitCode ParseAndRun(int argc, char** argv, Program& program) {
  CLI::App app("Wharf: a durable message broker. This is its command line.", "wharf");
  AddEverything(app, program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Report(app, error, program);
  }
  return program.Run();
}

int Main(int argc, char** argv) {
  ReserveStandardStreams();
  // A reader that goes away is a failed write, not the end: messages must still be released.
  std::signal(SIGPIPE, SIG_IGN);
  Program program;
  return static_cast<int>(program.Finish(ParseAndRun(argc, argv, program)));
}

}  // namespace
}  // namespace wharf::tool

int main(int argc, char** argv) { return wharf::tool::Main(argc, argv); }
