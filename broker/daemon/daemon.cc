#include "broker/daemon/daemon.h"

#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "broker/daemon/stop_limit.h"
#include "broker/schema/tables.h"
#include "storage/base/broker_clock.h"

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
// Of looks at the disk.
constexpr Duration kDiskLookPace = std::chrono::milliseconds(250);

// The book comes with the shard. Tokens lapse by the wall clock, wherever that is set.
std::unique_ptr<access::Guard> MakeGuard() {
  return std::make_unique<access::Guard>(std::make_shared<const access::Book>(),
                                         BrokerClock::SystemSources().wall);
}

}  // namespace

Daemon::Daemon(std::unique_ptr<RocksStore> store, BrokerImage image, DaemonClock clock,
               Garbage& garbage, const config::Settings& settings, bool is_access_on,
               CommitLog::Observer& observer)
    : clock_(std::move(clock)),
      started_at_(clock_.clock->Now()),
      store_(std::move(store)),
      disk_(settings.data),
      reserve_(settings.data),
      lazy_(1),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_.Post(std::move(work)); }},
              settings.space, settings.data),
      upkeep_(garbage, [this](const std::vector<TableRange>& freed) { store_->NoteFreed(freed); }),
      log_(*store_, LocalCommitLog::World{observer, &upkeep_, BrokerAppliedIndex()}),
      guard_(is_access_on ? MakeGuard() : nullptr),
      leadership_({*store_, log_, *clock_.clock, clock_.manual, &gate_, guard_.get()},
                  settings.limits, std::move(image)) {}

// The disk is looked at before anybody sends.
Status Daemon::Start() {
  keeper_.Look();
  looks_ = std::make_unique<Ticker>(kDiskLookPace, [this] { keeper_.Look(); });
  return leadership_.Begin();
}

Status Daemon::Serve(std::unique_ptr<Listener> listener) {
  Result<std::unique_ptr<Server>> server = Server::Start(std::move(listener));
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  server_->Open({leadership_.requests(), leadership_.clock_control(),
                 [this] { return Statistics(); }, guard_.get()});
  return server_->Listen();
}

void Daemon::SetLimits(const config::Settings& settings) {
  keeper_.SetFreeBytesMin(settings.space.free_bytes_min);
  leadership_.SetLimits(settings.limits);
}

void Daemon::Stop(bool is_healthy) {
  StopLimit limit(kStandstillMax, kStopLimit, [this] { return log_.stats().groups; });
  if (server_) server_->Stop(kStopGrace);
  looks_.reset();
  // Receivers that left gave back what they had not heard of; and what was on its way to them then
  // comes back a turn later.
  if (is_healthy) leadership_.AwaitCommit(kCommitGrace);
  if (is_healthy) leadership_.AwaitCommit(kCommitGrace);
  store_->StopGivingBack();
  leadership_.Stop();
  log_.Stop();
  Status ended;
  if (is_healthy) {
    limit.ExpectSilence();
    ended = store_->EndWork();
  }
  lazy_.Stop();
  if (!is_healthy) return;
  const Status closed = store_->CloseCleanly();
  for (const Status& each : {ended, closed}) {
    if (!each.ok()) spdlog::warn("the store was not closed cleanly: {}", each.message());
  }
}

BrokerStatistics Daemon::Statistics() const {
  const CommitLog::Stats log = log_.stats();
  return {.version = WHARF_VERSION,
          .started_at = started_at_,
          .shard = leadership_.shard().statistics(),
          .commits = log.commits,
          .syncs = log.groups,
          .synced_bytes = log.bytes,
          .accept_next = leadership_.shard().accept_latency(),
          .disk = gate_.report(),
          .space = store_->use(),
          .access = guard_ == nullptr ? access::GuardStatistics() : guard_->statistics(),
          .damaged_files = store_->damaged_files()};
}

}  // namespace wharf
