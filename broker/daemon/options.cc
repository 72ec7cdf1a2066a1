#include "broker/daemon/options.h"

#include <chrono>

namespace wharf {
namespace {

void AddTransactionOptions(CLI::App& app, TransactionLimits& limits) {
  app.add_option("--max-transaction-messages", limits.messages_max,
                 "Messages that one transaction may send")
      ->capture_default_str()
      ->check(CLI::Range(1, 4500));
  app.add_option(
         "--max-transaction-bytes", limits.bytes_max,
         "Bytes of messages, states and properties in one transaction; more than about 16 MiB "
         "cannot come in one call, only step by step")
      ->capture_default_str()
      ->check(CLI::Range(1024, 64 * 1024 * 1024));
  app.add_option_function<int>(
         "--transaction-timeout",
         [&limits](int seconds) { limits.time_max = std::chrono::seconds(seconds); },
         "Seconds after its begin at which an open transaction is rolled back")
      ->default_str("120")
      ->check(CLI::Range(1, 86400));
  app.add_option("--max-open-transactions", limits.open_max, "Transactions open at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--strict-transactions", limits.has_one_entity,
               "Refuse transactions that span several queues, as Service Bus does");
}

void AddSpaceOptions(CLI::App& app, SpaceLimits& space) {
  app.add_option_function<std::uint64_t>(
         "--min-free-disk",
         [&space](std::uint64_t megabytes) { space.free_bytes_min = megabytes << 20; },
         "MiB of the disk that sends leave free, beside what the store needs to go on: what it "
         "holds "
         "in memory and its largest compaction. Below that they are refused with QuotaExceeded; "
         "receiving, settling, purging and deleting go on and make room")
      ->default_str("64")
      ->check(CLI::Range(1, 1 << 30));
  app.add_option_function<std::uint64_t>(
         "--reclaim-rate",
         [&space](std::uint64_t megabytes) { space.returns.bytes_per_second = megabytes << 20; },
         "MiB per second that are read and written to give back the space of what expired, was "
         "purged or deleted; twice as many while the disk is nearly full. 0: it comes back only "
         "with the compactions that come anyway")
      ->default_str("64")
      ->check(CLI::Range(0, 1 << 20));
}

}  // namespace

void AddOptions(CLI::App& app, DaemonOptions& options) {
  app.set_version_flag("--version", "wharfd " WHARF_VERSION, "Print the version, and exit");
  app.add_option("--data", options.data,
                 "The data folder, needed. A new or empty one becomes a broker's; only the last "
                 "folder of the path is made, with mode 700, so that a disk that is not mounted is "
                 "noticed. A folder with files of others is refused");
  app.add_option("--listen", options.listen,
                 "ADDRESS:PORT for gRPC, on this machine only: 127.0.0.1, [::1], or localhost, "
                 "which means 127.0.0.1; port 0 takes any free one")
      ->capture_default_str();
  app.add_flag("--accept-clock", options.accept_clock,
               "Start although the wall clock is more than a year after the last commit. Without "
               "it the start is refused: a clock that is set wrong would expire messages and "
               "locks at once, and that cannot be taken back. Give it when the clock is right and "
               "the broker was off for so long");
  app.add_option_function<std::string>(
         "--clock",
         [&options](const std::string& name) { options.has_manual_clock = name == "manual"; },
         "system; or manual: time stands still until `wharf clock advance` or the service Clock "
         "moves it, for tests of applications")
      ->default_str("system")
      ->check(CLI::IsMember({"system", "manual"}));
  app.add_option("--max-locked-messages", options.limits.broker.queue.locked_messages_max,
                 "Messages that may be locked at a time, per queue and per dead-letter queue")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  app.add_option("--max-locked-per-connection", options.limits.locked_per_connection_max,
                 "Messages that one connection may have locked, over all its streams and calls; of "
                 "a queue it also gets at most nine times what it leaves for others")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  app.add_option("--max-entities", options.limits.broker.entities_max,
                 "Queues and topics that may exist")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--max-subscriptions", options.limits.broker.subscriptions_max,
                 "Subscriptions that a topic may have")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--max-sql-filters", options.limits.rules.sql_filters_max,
                 "SQL filters that the rules of a topic may have together; each is evaluated for "
                 "each message. True and false filters beyond one a subscription count, too")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--max-correlation-filters", options.limits.rules.correlation_filters_max,
                 "Correlation filters that the rules of a topic may have together")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  AddTransactionOptions(app, options.limits.transactions);
  AddSpaceOptions(app, options.space);
  app.add_option("--log-level", options.log_level,
                 "What is written to stderr. error: why wharfd ends; warning: also what slows it "
                 "down or may soon fail, slow commits for example; info: also start, stop, and "
                 "entities that are made, changed, deleted or purged; debug: also clients that "
                 "connect, requests that are refused, and what gRPC has to say")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void CheckOptions(const CLI::App& app) {
  if (app.get_option("--data")->count() == 0) throw CLI::RequiredError("--data");
}

}  // namespace wharf
