#include "broker/daemon/daemon.h"

#include <future>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/daemon/stop_limit.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// A stop must be over in 5 s, unless the disk is slow and yet does something. This much of it is
// for the clients that have answers to read.
constexpr Duration kStopGrace = std::chrono::milliseconds(2000);
// For the last commits, whose answers nobody waits for.
constexpr Duration kCommitGrace = std::chrono::milliseconds(750);
// In which the disk must do something.
constexpr Duration kStandstillMax = std::chrono::seconds(4);
// However slow it is.
constexpr Duration kStopLimit = std::chrono::seconds(20);
constexpr std::size_t kAwaitedReadThreads = 3;
constexpr std::size_t kBackgroundReadThreads = 2;
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
      awaited_reads_(kAwaitedReadThreads),
      background_reads_(kBackgroundReadThreads),
      lazy_(1),
      publisher_(1),
      readers_(*store_, {awaited_reads_, background_reads_, lazy_}),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_.Post(std::move(work)); }},
              options.space, options.data),
      upkeep_(garbage, readers_),
      log_(std::make_unique<LocalCommitLog>(
          *store_, LocalCommitLog::World{observer, &upkeep_, BrokerAppliedIndex()})),
      shard_(
          {*clock_.clock, random_, *log_, *thread_, publisher_, readers_, alarm(), nullptr, &gate_},
          options.limits, std::move(image)),
      requests_(MakePipeline(shard_, readers_)),
      clock_control_(*requests_, clock_.manual) {
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

Status Daemon::Serve(std::unique_ptr<Listener> listener) {
  Result<std::unique_ptr<Server>> server = Server::Start(
      *requests_, clock_control_, [this] { return Statistics(); }, std::move(listener));
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  return {};
}

void Daemon::Stop(bool is_healthy) {
  StopLimit limit(kStandstillMax, kStopLimit, [this] { return log_->stats().groups; });
  if (server_) server_->Stop(kStopGrace);
  looks_.reset();
  // Receivers that left gave back what they had not heard of; and what was on its way to them then
  // comes back a turn later.
  if (is_healthy) AwaitCommit();
  if (is_healthy) AwaitCommit();
  store_->StopGivingBack();
  awaited_reads_.Stop();
  background_reads_.Stop();
  lazy_.Stop();
  thread_->Join();
  publisher_.Stop();
  log_->Stop();
  if (!is_healthy) return;
  limit.ExpectSilence();
  if (Status closed = store_->CloseCleanly(); !closed.ok()) {
    spdlog::warn("the store was not closed cleanly: {}", closed.message());
  }
}

// Until all that was asked of the shard so far is durable, or it takes too long.
void Daemon::AwaitCommit() {
  auto committed = std::make_shared<std::promise<void>>();
  std::future<void> done = committed->get_future();
  shard_.agenda().Post([committed](Turn& turn) {
    turn.OnCommitted([committed](const Status&, Tellings&) { committed->set_value(); });
  });
  done.wait_for(kCommitGrace);
}

Alarm& Daemon::alarm() {
  if (clock_.manual != nullptr) return manual_alarm_;
  return *thread_;
}

BrokerStatistics Daemon::Statistics() const {
  const CommitLog::Stats log = log_->stats();
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
