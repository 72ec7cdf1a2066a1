#include "broker/daemon/daemon.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "broker/daemon/daemon_statistics.h"
#include "broker/daemon/folder/archiving.h"
#include "broker/daemon/listening/amqp_listening.h"
#include "broker/daemon/listening/clients.h"
#include "broker/daemon/listening/http_listening.h"
#include "broker/daemon/process/core_dumps.h"
#include "broker/daemon/process/stop_grace.h"
#include "broker/daemon/process/stop_limit.h"
#include "broker/daemon/process/stop_time.h"
#include "broker/schema/tables.h"
#include "storage/base/broker_clock.h"
#include "storage/log/single_folder.h"

namespace wharf {
namespace {

// The book comes with the shard. Tokens lapse by the wall clock, wherever that is set.
std::unique_ptr<access::Guard> MakeGuard(std::shared_ptr<const access::ClientRules> clients) {
  auto guard = std::make_unique<access::Guard>(std::make_shared<const access::Book>(),
                                               BrokerClock::SystemSources().wall);
  guard->SetClients(std::move(clients));
  return guard;
}

}  // namespace

Daemon::Daemon(std::unique_ptr<RocksStore> store, std::unique_ptr<SegmentLog> log,
               BrokerImage image, DaemonClock clock, const config::Settings& settings,
               const World& world)
    : health_(world.health),
      statistics_(world.statistics),
      guard_gate_(world.guard),
      tracer_(world.tracer),
      before_clients_(world.before_clients),
      is_emulator_(settings.is_emulator()),
      clock_(std::move(clock)),
      started_at_(clock_.clock->Now()),
      care_(std::move(store), world.garbage, settings.space, settings.data,
            settings.compact_at_random),
      backup_threads_("wharf:backup", 2, ThreadPool::Rank::kLow),
      archive_(
          MakeArchive(settings, world.backup_recipient, [this] { return care_.gate().report(); })),
      backups_({settings.backup_folder, settings.backup_rate, settings.data, WHARF_VERSION,
                world.backup_recipient},
               ForBackups()),
      log_({}, care_.store(), std::move(log), ForLog(world.observer)),
      guard_(world.is_access_on ? MakeGuard(world.clients) : nullptr),
      connections_(settings.connections_max),
      amqp_(MakeAmqpDoor(settings)),
      http_(MakeServiceBusDoor(settings, health_, amqp_.get())),
      console_(MakeConsoleDoor(settings)),
      leadership_({.store = log_.store(),
                   .log = log_,
                   .clock = *clock_.clock,
                   .manual_clock = clock_.manual,
                   .disk = &care_.gate(),
                   .guard = guard_.get(),
                   .tracer = tracer_,
                   .on_rules = [this](std::size_t rules) { NoteRules(rules); }},
                  settings.limits, std::move(image)),
      watchdog_(health_, ForWatchdog()) {}

// Calls of clients use the leadership, which goes before the server.
Daemon::~Daemon() {
  if (is_stopped_) return;
  CloseGates();
  StopDoors();
  StopArchive(archive_.get());
}

void Daemon::CloseGates() {
  health_.SetWatch({});
  statistics_.Close();
  statistics_.OpenConsole(nullptr);
  guard_gate_.Close();
}

Watchdog::World Daemon::ForWatchdog() {
  return {.disk_age = [this] { return log_.stats().disk_age; },
          .turn_age = [this] { return leadership_.shard().watch().age(); },
          .disk = [this] { return care_.gate().report(); }};
}

BackupKeeper::World Daemon::ForBackups() {
  return {.store = care_.store(),
          .threads = backup_threads_,
          .wall = BrokerClock::SystemSources().wall,
          .disk = [this] { return care_.gate().report(); },
          .owner = [] { return BackupKeeper::Owner(); },
          // With all that anybody has heard of.
          .checkpoint =
              [this](const std::string& folder) {
                WHARF_RETURN_IF_ERROR(log_.WriteAll());
                return care_.store().Checkpoint(folder);
              },
          .archive = archive_.get()};
}

// A store without a name does not open.
SegmentCommitLog::World Daemon::ForLog(CommitLog::Observer& observer) {
  const Result<std::string> store = StoreNameIn(care_.store().path());
  const BackupManifest mine{.store = store.ok() ? *store : ""};
  return {.observer = observer,
          .applied = &care_.listener(),
          .position = BrokerStatePosition(),
          .row = BrokerAppliedIndex(),
          .archive = archive_.get(),
          .owner = mine.archive_owner()};
}

// The disk is looked at before anybody sends.
Status Daemon::Start(Listeners& listeners) {
  care_.BeginLooks();
  watches_ = std::make_unique<Ticker>(kWatchPace, [this] {
    watchdog_.Look();
    log_.Look();
  });
  WHARF_RETURN_IF_ERROR(leadership_.Begin());
  if (before_clients_) WHARF_RETURN_IF_ERROR(before_clients_(leadership_.requests()));
  return Serve(listeners);
}

Status Daemon::Serve(Listeners& listeners) {
  Result<std::unique_ptr<Server>> server =
      Server::Start(listeners.Take(ListenerKind::kGrpc), connections_);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  if (amqp_) amqp_->Open(leadership_.requests(), guard_.get());
  const CallGate::Broker broker{leadership_.requests(),
                                leadership_.clock_control(),
                                [this] { return Statistics(); },
                                guard_.get(),
                                amqp_.get(),
                                &backups_};
  if (http_) http_->SetGuardOfRefusals(guard_.get());
  if (http_) http_->Open(broker);
  if (console_) {
    console_->SetGuardOfRefusals(guard_.get());
    console_->Use(server_->inner_calls());
    console_->Open(broker);
  }
  server_->Open(broker);
  health_.SetWatch([this](bool is_well) { server_->SetWell(is_well); });
  health_.Heal(Ailment::kStarting);
  statistics_.Open([this] { return Statistics(); });
  if (console_) statistics_.OpenConsole([this] { return console_->statistics(); });
  guard_gate_.Open(guard_.get());
  WHARF_RETURN_IF_ERROR(server_->Listen());
  if (amqp_) WHARF_RETURN_IF_ERROR(amqp_->Listen(listeners.Take(ListenerKind::kAmqp)));
  if (http_) WHARF_RETURN_IF_ERROR(http_->Listen(listeners.Take(ListenerKind::kServiceBus)));
  return console_ ? console_->Listen(listeners.Take(ListenerKind::kConsole)) : Status();
}

void Daemon::StopDoors() {
  const StopTime time(kStopGrace);
  if (amqp_) amqp_->BeginStop();
  if (http_) http_->BeginStop();
  if (console_) console_->BeginStop();
  if (server_) server_->Stop(kStopGrace);
  if (amqp_) amqp_->Stop(time.left());
  if (http_) http_->Stop(time.left());
  if (console_) console_->Stop(time.left());
}

Status Daemon::TakeClients(const config::Settings& settings) {
  Result<std::shared_ptr<const access::ClientRules>> clients = LoadClients(settings);
  if (!clients.ok()) return clients.status();
  if (guard_ != nullptr) guard_->SetClients(*std::move(clients));
  return {};
}

// Keys are in memory from then on. Whoever made the first rule of a broker that asks nobody for
// anything hears here what the next start makes of it.
void Daemon::NoteRules(std::size_t rules) {
  const bool is_start = !std::exchange(knows_rules_, true);
  const bool had_rules = std::exchange(has_rules_, rules > 0);
  if (rules == 0 || had_rules) return;
  KeepOutOfCores();
  if (is_start || guard_ != nullptr || is_emulator_) return;
  spdlog::warn(
      "access is off, and there are access rules now: from the next start on clients must prove "
      "who they are, unless it has the flag --access=off; access: off said elsewhere makes it "
      "fail");
}

// What may be wrong in files comes first, and then nothing is taken.
Status Daemon::Take(const config::Settings& settings) {
  WHARF_RETURN_IF_ERROR(TakeClients(settings));
  care_.SetFreeBytesMin(settings.space.free_bytes_min);
  connections_.SetMax(settings.connections_max);
  if (amqp_) {
    amqp_->SetConnectionsMax(settings.connections_max);
    amqp_->SetLinkIdleMax(settings.amqp_link_idle_time);
  }
  leadership_.SetLimits(settings.limits);
  return {};
}

void Daemon::Stop(bool is_healthy) {
  health_.Note(Ailment::kStopping, "the broker is stopping: it answers what it has taken");
  CloseGates();
  StopLimit limit(kStandstillMax, kStopLimit,
                  {.writes = [this] { return log_.stats().groups; },
                   .age = [this] { return log_.stats().disk_age; }});
  StopDoors();
  backups_.Stop();
  care_.EndLooks();
  watches_.reset();
  // Receivers that left gave back what they had not heard of; and what was on its way to them then
  // comes back a turn later.
  if (is_healthy) leadership_.AwaitCommit(kCommitGrace);
  if (is_healthy) leadership_.AwaitCommit(kCommitGrace);
  care_.StopGivingBack();
  leadership_.Stop();
  log_.Stop();
  limit.BeginAnew();
  StopArchive(archive_.get());
  limit.BeginAnew();
  care_.Close(is_healthy, [&limit] { limit.ExpectSilence(); });
  is_stopped_ = true;
}

BrokerStatistics Daemon::Statistics() {
  return StatisticsOf({started_at_, clock_.clock->Now(), &leadership_, log_.stats(), care_.store(),
                       care_.gate(), connections_, guard_.get(), server_.get(), amqp_.get(),
                       http_.get(), tracer_, SingleFolder::LogPath(care_.store().path()),
                       archive_.get()});
}

}  // namespace wharf
