#include "broker/daemon/daemon.h"

#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "broker/daemon/clients.h"
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
// It does not wait for the disk, as those may.
constexpr Duration kWatchPace = std::chrono::milliseconds(250);

// The book comes with the shard. Tokens lapse by the wall clock, wherever that is set.
std::unique_ptr<access::Guard> MakeGuard(std::shared_ptr<const access::ClientRules> clients) {
  auto guard = std::make_unique<access::Guard>(std::make_shared<const access::Book>(),
                                               BrokerClock::SystemSources().wall);
  guard->SetClients(std::move(clients));
  return guard;
}

TraceStatistics TracesOf(const trace::Tracer* tracer) {
  if (tracer == nullptr) return {};
  const trace::Tracer::Counts counts = tracer->counts();
  return {counts.exported, counts.lost_for_room, counts.lost_on_the_way};
}

}  // namespace

Daemon::Daemon(std::unique_ptr<RocksStore> store, BrokerImage image, DaemonClock clock,
               const config::Settings& settings, const World& world)
    : health_(world.health),
      statistics_(world.statistics),
      guard_gate_(world.guard),
      tracer_(world.tracer),
      clock_(std::move(clock)),
      started_at_(clock_.clock->Now()),
      store_(std::move(store)),
      disk_(settings.data),
      reserve_(settings.data),
      lazy_(1),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_.Post(std::move(work)); }},
              settings.space, settings.data),
      upkeep_(world.garbage,
              [this](const std::vector<TableRange>& freed) { store_->NoteFreed(freed); }),
      log_(*store_, LocalCommitLog::World{world.observer, &upkeep_, BrokerAppliedIndex()}),
      guard_(world.is_access_on ? MakeGuard(world.clients) : nullptr),
      connections_(settings.connections_max),
      leadership_({*store_, log_, *clock_.clock, clock_.manual, &gate_, guard_.get(), tracer_},
                  settings.limits, std::move(image)),
      watchdog_(health_, ForWatchdog()) {}

// Calls of clients use the leadership, which goes before the server.
Daemon::~Daemon() {
  if (is_stopped_) return;
  CloseGates();
  if (server_) server_->Stop(kStopGrace);
}

void Daemon::CloseGates() {
  health_.SetWatch({});
  statistics_.Close();
  guard_gate_.Close();
}

Watchdog::World Daemon::ForWatchdog() {
  return {.sync_age = [this] { return log_.stats().sync_age; },
          .turn_age = [this] { return leadership_.shard().watch().age(); },
          .disk = [this] { return gate_.report(); }};
}

// The disk is looked at before anybody sends.
Status Daemon::Start() {
  keeper_.Look();
  looks_ = std::make_unique<Ticker>(kDiskLookPace, [this] { keeper_.Look(); });
  watches_ = std::make_unique<Ticker>(kWatchPace, [this] { watchdog_.Look(); });
  return leadership_.Begin();
}

Status Daemon::Serve(Listeners& listeners) {
  Result<std::unique_ptr<Server>> server =
      Server::Start(listeners.Take(ListenerKind::kGrpc), connections_);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  server_->Open({leadership_.requests(), leadership_.clock_control(),
                 [this] { return Statistics(); }, guard_.get()});
  health_.SetWatch([this](bool is_well) { server_->SetWell(is_well); });
  health_.Heal(Ailment::kStarting);
  statistics_.Open([this] { return Statistics(); });
  guard_gate_.Open(guard_.get());
  return server_->Listen();
}

Status Daemon::TakeClients(const config::Settings& settings) {
  if (guard_ == nullptr) return {};
  Result<std::shared_ptr<const access::ClientRules>> clients = LoadClients(settings);
  if (!clients.ok()) return clients.status();
  guard_->SetClients(*std::move(clients));
  return {};
}

// What may be wrong in files comes first, and then nothing is taken.
Status Daemon::Take(const config::Settings& settings) {
  WHARF_RETURN_IF_ERROR(TakeClients(settings));
  keeper_.SetFreeBytesMin(settings.space.free_bytes_min);
  connections_.SetMax(settings.connections_max);
  leadership_.SetLimits(settings.limits);
  return {};
}

void Daemon::Stop(bool is_healthy) {
  health_.Note(Ailment::kStopping, "the broker is stopping: it answers what it has taken");
  CloseGates();
  StopLimit limit(kStandstillMax, kStopLimit, [this] { return log_.stats().groups; });
  if (server_) server_->Stop(kStopGrace);
  looks_.reset();
  watches_.reset();
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
  is_stopped_ = true;
  if (!is_healthy) return;
  const Status closed = store_->CloseCleanly();
  for (const Status& each : {ended, closed}) {
    if (!each.ok()) spdlog::warn("the store was not closed cleanly: {}", each.message());
  }
}

BrokerStatistics Daemon::Statistics() {
  const CommitLog::Stats log = log_.stats();
  const Shard& shard = leadership_.shard();
  const StoreSpace::Use space = store_->use();
  const RequestWatch& requests = *shard.request_watch();
  return {.version = WHARF_VERSION,
          .started_at = started_at_,
          .now = clock_.clock->Now(),
          .shard = shard.statistics(),
          .commits = log.commits,
          .syncs = log.groups,
          .synced_bytes = log.bytes,
          .accept_next = shard.accept_latency(),
          .disk = gate_.report(),
          .space = space,
          .access = guard_ == nullptr ? access::GuardStatistics() : guard_->statistics(),
          .damaged_files = store_->damaged_files(),
          .latencies = {.send = requests.sends.Read(),
                        .settle = requests.settlements.Read(),
                        .receive = shard.receive_latency(),
                        .turn = shard.watch().lengths(),
                        .sync = log.sync_latency,
                        .wait = shard.message_wait()},
          .memory = {.window_bytes = shard.window_bytes(),
                     .request_bytes = shard.admitted_weight() * kBytesPerWeight,
                     .write_buffer_bytes = space.buffer_bytes,
                     .block_cache_bytes = space.cache_bytes,
                     .stream_bytes = server_ == nullptr ? 0 : server_->stream_bytes()},
          .throttled = requests.throttled,
          .grpc_connections = connections_.admitted(),
          .grpc_connections_refused = connections_.refused(),
          .grpc_open_connections = connections_.Count(),
          .timed = shard.timed_entities(),
          .traces = TracesOf(tracer_),
          .entities = shard.entity_numbers()};
}

}  // namespace wharf
