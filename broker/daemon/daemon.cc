#include "broker/daemon/daemon.h"

#include <future>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

// A stop must be over in 5 s; most of it is left to the disk.
constexpr Duration kStopGrace = std::chrono::milliseconds(1500);
constexpr std::size_t kReaderThreads = 3;
// Of looks at the disk.
constexpr Duration kLookPace = std::chrono::milliseconds(250);

}  // namespace

Daemon::Daemon(std::unique_ptr<RocksStore> store, BrokerImage image, DaemonClock clock,
               Garbage& garbage, const DaemonOptions& options, CommitLog::Observer& observer)
    : clock_(std::move(clock)),
      started_at_(clock_.clock->Now()),
      store_(std::move(store)),
      disk_(options.data),
      reserve_(options.data),
      thread_(std::make_unique<ShardThread>(*clock_.clock)),
      manual_alarm_(*clock_.clock, *thread_),
      readers_(std::make_unique<ReaderThreads>(kReaderThreads)),
      lazy_(std::make_unique<ReaderThreads>(1)),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_->Post(std::move(work)); }},
              options.space, options.data),
      log_(std::make_unique<LocalCommitLog>(*store_, observer)),
      shard_({*clock_.clock, random_, *store_, *log_, *thread_, *readers_, alarm(), nullptr,
              &garbage, lazy_.get(), &gate_},
             options.limits, std::move(image)),
      broker_(shard_, *readers_, *store_),
      clock_control_(broker_, clock_.manual) {
  thread_->WakeAtAlarm([this] { shard_.OnAlarm(); });
  manual_alarm_.WakeAtAlarm([this] { shard_.OnAlarm(); });
}

// The disk is looked at before anybody sends.
Status Daemon::Start() {
  keeper_.Look();
  looks_ = std::make_unique<Ticker>(kLookPace, [this] { keeper_.Look(); });
  std::promise<Status> started;
  thread_->Post([this, &started] { started.set_value(shard_.Start()); });
  return started.get_future().get();
}

Status Daemon::Listen(const std::string& address) {
  Result<std::unique_ptr<Server>> server = Server::Listen(
      broker_, clock_control_, [this] { return Statistics(); }, address);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  return {};
}

void Daemon::Stop(bool is_healthy) {
  if (server_) server_->Stop(kStopGrace);
  looks_.reset();
  store_->StopGivingBack();
  readers_->Join();
  lazy_->Join();
  thread_->Join();
  log_.reset();
  if (!is_healthy) return;
  if (Status closed = store_->CloseCleanly(); !closed.ok()) {
    spdlog::warn("the store was not closed cleanly: {}", closed.message());
  }
}

Alarm& Daemon::alarm() {
  if (clock_.manual != nullptr) return manual_alarm_;
  return *thread_;
}

BrokerStatistics Daemon::Statistics() const {
  const LocalCommitLog::Stats log = log_->stats();
  return {.version = WHARF_VERSION,
          .started_at = started_at_,
          .shard = shard_.statistics(),
          .commits = log.commits,
          .syncs = log.groups,
          .synced_bytes = log.bytes,
          .accept_next = shard_.accept_latency(),
          .disk = gate_.report()};
}

}  // namespace wharf
