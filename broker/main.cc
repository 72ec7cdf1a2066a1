// wharfd: the daemon. Wires the rooms together, waits for a signal or a failure, and takes them
// down again.

#include <csignal>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "broker/engine/broker.h"
#include "broker/engine/broker_statistics.h"
#include "broker/engine/clock_control.h"
#include "broker/engine/manual_alarm.h"
#include "broker/engine/shard.h"
#include "broker/engine/shard_thread.h"
#include "broker/grpc/server.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/base/broker_clock.h"
#include "storage/base/random.h"
#include "storage/local_commit_log.h"
#include "storage/rocks_store.h"

// Read by jemalloc before main: freed memory goes back to the system within about a second, also
// while nobody allocates.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): jemalloc chose the name.
extern const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace wharf {
namespace {

// A stop must be over in 5 s; most of it is left to the disk.
constexpr Duration kStopGrace = std::chrono::milliseconds(1500);
// One may be giving space back for a while.
constexpr std::size_t kReaderThreads = 3;

struct Options {
  std::string data;
  std::string listen = "127.0.0.1:5680";
  bool accept_clock = false;
  bool has_manual_clock = false;
  std::string log_level = "info";
  ShardLimits limits;
};

// Waits on the main thread for the first reason to stop.
class StopSignal final : public CommitLog::Observer {
 public:
  StopSignal() : signals_(io_, SIGTERM, SIGINT) {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) io_.stop();
    });
  }

  void OnOpen() override {}
  void OnClosed(Status reason) override {
    boost::asio::post(io_, [this, reason = std::move(reason)] {
      failure_ = reason;
      io_.stop();
    });
  }

  // Ok after a signal, else why the broker cannot go on.
  Status Wait() {
    io_.run();
    return failure_;
  }

 private:
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  Status failure_;
};

// There are no credentials yet, so nobody but this machine may connect.
Status CheckListenAddress(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(
      host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host, error);
  if (host == "localhost" || (!error && parsed.is_loopback())) return {};
  return {ErrorCode::kArgumentError,
          "without credentials wharfd listens on this machine only; --listen takes 127.0.0.1:PORT "
          "or [::1]:PORT, not " +
              address};
}

// Makes the folder a broker's, and finds out when it was last written.
Result<FolderState> PrepareFolder(RocksStore& store) {
  Result<FolderState> state = LoadFolderState(store);
  if (!state.ok() || !state->is_new) return state;
  const WriteBatch batch = EncodeNewFolder();
  if (Status written = store.Write({&batch, 1}, RocksStore::Sync::kYes); !written.ok()) {
    return written;
  }
  return state;
}

// Broker time: carried by the clocks of this machine, or standing still until it is advanced.
struct DaemonClock {
  std::unique_ptr<Clock> clock;
  ManualClock* manual = nullptr;  // The same clock, if it stands still.
};

// A manual clock does not follow the wall clock, so it needs it only where there is no time yet.
DaemonClock MakeClock(bool is_manual, Timestamp last_committed) {
  const BrokerClock::Sources sources = BrokerClock::SystemSources();
  if (!is_manual) return {std::make_unique<BrokerClock>(sources, last_committed)};
  const bool is_first = last_committed == Timestamp();
  auto clock = std::make_unique<ManualClock>(is_first ? sources.wall() : last_committed);
  ManualClock* const manual = clock.get();
  return {std::move(clock), manual};
}

// The running broker, from the store up to the door. Members go down in the opposite order.
class Daemon {
 public:
  Daemon(std::unique_ptr<RocksStore> store, BrokerImage image, DaemonClock clock, Garbage& garbage,
         const ShardLimits& limits, CommitLog::Observer& observer)
      : clock_(std::move(clock)),
        started_at_(clock_.clock->Now()),
        store_(std::move(store)),
        thread_(std::make_unique<ShardThread>(*clock_.clock)),
        manual_alarm_(*clock_.clock, *thread_),
        readers_(std::make_unique<ReaderThreads>(kReaderThreads)),
        log_(std::make_unique<LocalCommitLog>(*store_, observer)),
        shard_({*clock_.clock, random_, *store_, *log_, *thread_, *readers_, alarm(), nullptr,
                &garbage},
               limits, std::move(image)),
        broker_(shard_, *readers_, *store_),
        clock_control_(broker_, clock_.manual) {
    thread_->WakeAtAlarm([this] { shard_.OnAlarm(); });
    manual_alarm_.WakeAtAlarm([this] { shard_.OnAlarm(); });
  }

  // Waits until the shard has begun to work.
  Status Start() {
    std::promise<Status> started;
    thread_->Post([this, &started] { started.set_value(shard_.Start()); });
    return started.get_future().get();
  }

  Status Listen(const std::string& address) {
    Result<std::unique_ptr<Server>> server = Server::Listen(
        broker_, clock_control_, [this] { return Statistics(); }, address);
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    return {};
  }

  int port() const { return server_->port(); }

  // Calls under way end first, then the threads that plan, then what they planned is committed, and
  // then the store is closed.
  void Stop(bool is_healthy) {
    if (server_) server_->Stop(kStopGrace);
    store_->StopGivingBack();
    readers_->Join();
    thread_->Join();
    log_.reset();
    if (!is_healthy) return;
    if (Status closed = store_->CloseCleanly(); !closed.ok()) {
      spdlog::warn("the store was not closed cleanly: {}", closed.message());
    }
  }

 private:
  Alarm& alarm() {
    if (clock_.manual != nullptr) return manual_alarm_;
    return *thread_;
  }

  BrokerStatistics Statistics() const {
    const LocalCommitLog::Stats log = log_->stats();
    return {.version = WHARF_VERSION,
            .started_at = started_at_,
            .shard = shard_.statistics(),
            .commits = log.commits,
            .syncs = log.groups,
            .synced_bytes = log.bytes,
            .accept_next = shard_.accept_latency()};
  }

  SystemRandom random_;
  const DaemonClock clock_;
  const Timestamp started_at_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<ShardThread> thread_;
  ManualAlarm manual_alarm_;
  std::unique_ptr<ReaderThreads> readers_;
  std::unique_ptr<LocalCommitLog> log_;
  Shard shard_;
  Broker broker_;
  ClockControl clock_control_;
  std::unique_ptr<Server> server_;
};

// After a write of a compaction that failed RocksDB may abort (storage/README.md), so it must not
// go on; and nothing is taken down, because that waits for it.
[[noreturn]] void EndAtOnce(const Status& failure) {
  spdlog::error("wharfd ends: {}", failure.message());
  std::_Exit(1);
}

Status Serve(const Options& options) {
  WHARF_RETURN_IF_ERROR(CheckListenAddress(options.listen));
  Garbage garbage;  // Outlives the store, whose compactions ask it.
  Result<std::unique_ptr<RocksStore>> store =
      RocksStore::Open({.path = options.data,
                        .tables = BrokerTables(garbage),
                        .file_system = nullptr,
                        .on_background_failure = EndAtOnce});
  if (!store.ok()) return store.status();
  Result<FolderState> folder = PrepareFolder(**store);
  if (!folder.ok()) return folder.status();
  if (!options.accept_clock && !options.has_manual_clock) {
    WHARF_RETURN_IF_ERROR(
        BrokerClock::CheckStart(BrokerClock::SystemSources().wall(), folder->last_committed));
  }
  Result<BrokerImage> image = LoadBroker(**store);
  if (!image.ok()) return image.status();

  const std::size_t queues = image->catalog.queues.size();
  StopSignal stop;
  Daemon daemon(*std::move(store), *std::move(image),
                MakeClock(options.has_manual_clock, folder->last_committed), garbage,
                options.limits, stop);
  Status served = daemon.Start();
  if (served.ok()) served = daemon.Listen(options.listen);
  if (served.ok()) {
    const std::string host = options.listen.substr(0, options.listen.rfind(':'));
    spdlog::info("wharfd ready on {}:{} data={} queues={}", host, daemon.port(), options.data,
                 queues);
    served = stop.Wait();
  }
  daemon.Stop(served.ok());
  if (served.ok()) spdlog::info("wharfd stopped");
  return served;
}

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

void AddOptions(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "The data folder; made if it is missing")->required();
  app.add_option("--listen", options.listen,
                 "Address and port for gRPC, on this machine only; port 0 takes any free one")
      ->capture_default_str();
  app.add_flag("--accept-clock", options.accept_clock,
               "Start although the wall clock is more than a year after the last commit");
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
  app.add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

int Main(int argc, char** argv) {
  CLI::App app(
      "wharfd: a durable message broker with the semantics of Azure Service Bus.\n"
      "Stops cleanly at SIGTERM. Exit code: 0 stopped, 1 could not start or go on, 2 bad "
      "usage.");
  Options options;
  AddOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  spdlog::set_default_logger(spdlog::stderr_logger_mt("wharfd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(options.log_level));
  spdlog::flush_on(spdlog::level::info);

  const Status served = Serve(options);
  if (served.ok()) return 0;
  spdlog::error("wharfd ends: {}", served.message());
  return 1;
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) { return wharf::Main(argc, argv); }
