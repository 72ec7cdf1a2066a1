#include "broker/daemon/cluster/cluster_daemon.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/daemon/cluster/node_format.h"
#include "broker/daemon/cluster/node_settings.h"
#include "broker/daemon/daemon_statistics.h"
#include "broker/daemon/folder/archiving.h"
#include "broker/daemon/listening/amqp_listening.h"
#include "broker/daemon/listening/http_listening.h"
#include "broker/daemon/process/stop_grace.h"
#include "broker/daemon/process/stop_limit.h"
#include "broker/daemon/process/stop_time.h"
#include "broker/schema/garbage_as_of.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "replication/not_leading.h"
#include "storage/base/wall_clock.h"

namespace wharf {
namespace {

// Between two looks whether files of certificates have changed.
constexpr Duration kCertificatesPace = std::chrono::seconds(1);
// Between two looks at how the cluster does.
constexpr Duration kClusterPace = std::chrono::seconds(1);
// Until another node leads.
constexpr Duration kHandOverGrace = std::chrono::milliseconds(1500);
// For calls under way when this node leads no more: their answers are there already.
constexpr Duration kEndGrace = std::chrono::milliseconds(500);

// A log that ends is followed by the end of its leadership, which the node tells.
class NoObserver final : public CommitLog::Observer {
 public:
  void OnOpen() override {}
  void OnClosed(Status reason) override {
    spdlog::info("this node commits no more for now: {}", reason.message());
  }
};

}  // namespace

struct ClusterDaemon::LeadingLog {
  LeadingLog(const TableSet& tables, std::uint64_t term, CommitIndex last,
             BrokerClock::GoesOnFrom from, std::function<void()> wake)
      : clock(BrokerClock::SystemSources(), from),
        log({}, {observer, tables, clock, std::move(wake)}, term, last) {}

  NoObserver observer;
  BrokerClock clock;
  RaftCommitLog log;
};

ClusterDaemon::ClusterDaemon(std::unique_ptr<RocksStore> store, const config::Settings& settings,
                             ClusterNode::Options node, NodeAccess::Options access,
                             const World& world)
    : world_(world),
      started_at_(BrokerClock::SystemSources().wall()),
      wall_(std::make_unique<WallClock>()),
      care_(std::move(store), world.garbage, settings.space, settings.data,
            settings.compact_at_random),
      access_(std::move(access), {care_.store(), care_.listener(), world.fail}),
      connections_(settings.connections_max),
      node_options_(std::move(node)),
      archive_(
          MakeArchive(settings, world.backup_recipient, [this] { return care_.gate().report(); })),
      backup_threads_("wharf:backup", 2, ThreadPool::Rank::kLow),
      backups_({settings.backup_folder, settings.backup_rate, settings.data, WHARF_VERSION,
                world.backup_recipient},
               ForBackups()),
      amqp_(MakeAmqpDoor(settings)),
      http_(MakeServiceBusDoor(settings, world.health, amqp_.get())),
      console_(MakeConsoleDoor(settings)),
      relay_({amqp_.get(), http_.get(), console_.get(), access_.guard(), settings.insecure}),
      settings_(settings),
      watchdog_(world.health, ForWatchdog()) {}

ClusterDaemon::~ClusterDaemon() {
  if (!is_stopped_) Stop(false);
}

Status ClusterDaemon::Start(Listeners& listeners) {
  care_.BeginLooks();
  Result<std::unique_ptr<Server>> server =
      Server::Start(listeners.Take(ListenerKind::kGrpc), connections_);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  WHARF_RETURN_IF_ERROR(access_.Begin());
  WHARF_RETURN_IF_ERROR(StartNode());
  server_->TakePart({*desk_, access_.guard(), &backups_});
  if (http_) http_->SetGuardOfRefusals(access_.guard());
  if (console_) {
    console_->SetGuardOfRefusals(access_.guard());
    console_->Use(server_->inner_calls());
    console_->TakePart({*desk_, access_.guard()});
  }
  TellElsewhere();
  world_.health.SetWatch([this](bool is_well) { server_->SetWell(is_well); });
  world_.guard.Open(access_.guard(), GuardGate::WithoutRules::kThisMachine);
  world_.statistics.OpenCluster([this] { return desk_->last(); });
  world_.statistics.Open([this] { return Statistics(nullptr); });
  if (console_) world_.statistics.OpenConsole([this] { return console_->statistics(); });
  thread_ = std::thread([this] { Run(); });
  BeginWatches();
  world_.health.Heal(Ailment::kStarting);
  WHARF_RETURN_IF_ERROR(server_->Listen());
  const auto to_who_leads = [this](ClientRelay::Door door) {
    return [this, door](Descriptor& connection, bool has_tls) {
      return relay_.Bring(*node_, door, connection, has_tls);
    };
  };
  if (amqp_) {
    WHARF_RETURN_IF_ERROR(
        amqp_->Listen(listeners.Take(ListenerKind::kAmqp), to_who_leads(ClientRelay::Door::kAmqp)));
  }
  if (http_) {
    WHARF_RETURN_IF_ERROR(http_->Listen(listeners.Take(ListenerKind::kServiceBus),
                                        to_who_leads(ClientRelay::Door::kHttp)));
  }
  if (!console_) return {};
  return console_->Listen(listeners.Take(ListenerKind::kConsole),
                          to_who_leads(ClientRelay::Door::kConsole));
}

void ClusterDaemon::TellElsewhere() {
  MutexLock in_order(elsewhere_mutex_);
  const Status why = Elsewhere();
  server_->Refuse(why);
  if (http_) http_->Refuse(why);
  if (console_) console_->Refuse(why);
}

void ClusterDaemon::BeginWatches() {
  if (const auto& certificates = node_options_.certificates) {
    const config::Settings settings = [this] {
      MutexLock lock(mutex_);
      return settings_;
    }();
    certificate_looks_ =
        std::make_unique<Ticker>(kCertificatesPace, CertificateLooks(settings, certificates));
  }
  TellPart();
  watches_ = std::make_unique<Ticker>(kWatchPace, [this] {
    watchdog_.Look();
    TellElsewhere();
    TellPart();
  });
  node_->WatchLeader([this] { TellElsewhere(); });
  desk_->Look();
  cluster_looks_ = std::make_unique<Ticker>(kClusterPace, [this] { desk_->Look(); });
}

Status ClusterDaemon::StartNode() {
  Result<std::unique_ptr<ClusterNode>> node = ClusterNode::Open(
      node_options_, {care_.store(), BrokerAppliedIndex(), BrokerStatePosition(),
                      &access_.listener(), *wall_, *this, world_.is_single, world_.reopen,
                      [this] { return care_.gate().report(); }, world_.lost,
                      [this](const StoreView& view, Timestamp time) {
                        return GarbageAsOf::Make(view, time, world_.garbage);
                      },
                      FormatOfLevel,
                      [this](const RelayedClient& client, Descriptor connection) {
                        return relay_.Take(client, std::move(connection));
                      },
                      archive_.get()});
  if (!node.ok()) return node.status();
  node_ = *std::move(node);
  desk_ = std::make_unique<ClusterDesk>(*node_);
  return {};
}

// What may be wrong in files comes first, and then nothing is taken.
Status ClusterDaemon::Take(const config::Settings& settings) {
  WHARF_RETURN_IF_ERROR(access_.Take(settings));
  care_.SetFreeBytesMin(settings.space.free_bytes_min);
  connections_.SetMax(settings.connections_max);
  if (amqp_) {
    amqp_->SetConnectionsMax(settings.connections_max);
    amqp_->SetLinkIdleMax(settings.amqp_link_idle_time);
  }
  MutexLock lock(mutex_);
  settings_ = settings;
  if (serving_ != nullptr) serving_->SetLimits(settings.limits);
  return {};
}

// On the node's thread, which must not wait: nothing is loaded here.
std::shared_ptr<RaftCommitLog> ClusterDaemon::OnLeading(std::uint64_t term, CommitIndex last,
                                                        std::function<void()> wake) {
  auto leading = std::make_shared<LeadingLog>(care_.store().tables(), term, last, TimeToGoOnFrom(),
                                              std::move(wake));
  LeadBy(leading);
  return {leading, &leading->log};
}

void ClusterDaemon::OnLeadingEnded() { LeadBy(nullptr); }

// Another node may lead by now: the doors must not wait for this one's disk to say so. What leads
// by a newer log is not meant.
void ClusterDaemon::OnHanging(const RaftCommitLog& log) {
  {
    MutexLock lock(mutex_);
    if (leads_by_ == nullptr || &leads_by_->log != &log) return;
    leads_by_ = nullptr;
  }
  wake_.notify_all();
}

// Who led tells the time; if nobody has since this process began, the wall clock in the middle of
// the members' does, but time never goes back. One that is more than a year ahead of what was
// committed last is not believed, as this node's own was not at its start.
BrokerClock::GoesOnFrom ClusterDaemon::TimeToGoOnFrom() const {
  const std::optional<Timestamp> heard = node_ == nullptr ? std::nullopt : node_->heard_time();
  if (heard) return {*heard};
  const Result<FolderState> folder = LoadFolderState(care_.store(), {});
  const Timestamp committed = folder.ok() ? folder->last_committed : Timestamp();
  const Timestamp own = wall_->Now();
  const Timestamp median = node_ == nullptr ? own : own + node_->median_clock_offset();
  const bool is_believed = BrokerClock::CheckStart(median, committed).ok();
  return {std::max(is_believed ? median : own, committed)};
}

void ClusterDaemon::LeadBy(LeadingLogPtr leading) {
  {
    MutexLock lock(mutex_);
    std::swap(leads_by_, leading);
  }
  wake_.notify_all();
}

void ClusterDaemon::Run() {
  LeadingLogPtr leading;
  while (Next(leading)) {
    if (reign_) EndReign();
    if (leading != nullptr) BeginReign(leading);
  }
  if (reign_) EndReign();
}

// What this node led by in between is of no interest any more: its log is closed.
bool ClusterDaemon::Next(LeadingLogPtr& leading) {
  LeadingLogPtr before;  // Goes outside the lock.
  MutexLock lock(mutex_);
  while (leads_by_ == leading && !is_stopping_) wake_.wait(mutex_);
  if (is_stopping_) return false;
  before = std::exchange(leading, leads_by_);
  return true;
}

// The state has everything that was committed before this node led, so it is loaded as at a start.
void ClusterDaemon::BeginReign(LeadingLogPtr leading) {
  Result<BrokerImage> image = LoadBroker(node_->store());
  if (!image.ok()) return world_.fail(image.status());
  const Result<access::Guard*> guard =
      access_.BeginLeading(leading->log, leading->clock.Now(), *image);
  if (!guard.ok()) return GiveUp(*leading, guard.status());
  const std::size_t queues = image->catalog.queues.size();
  const ShardLimits limits = [this] {
    MutexLock lock(mutex_);
    return settings_.limits;
  }();
  auto leadership = std::make_unique<Leadership>(
      Leadership::World{
          .store = node_->store(),
          .log = leading->log,
          .clock = leading->clock,
          .disk = &care_.gate(),
          .guard = *guard,
          .tracer = world_.tracer,
          .check_encodings = [this] { return CheckEncodingsAt(node_->format_level()); },
          .check_event_logs = [this] { return CheckEventLogsAt(node_->format_level()); },
          .keeps_unknown_elements =
              [this] { return KeepsUnknownElementsAt(node_->format_level()); },
          .keeps_replaced_keys = [this] { return KeepsReplacedKeysAt(node_->format_level()); }},
      limits, *std::move(image));
  if (const Status begun = leadership->Begin(); !begun.ok()) {
    GiveUp(*leading, begun);
    leadership->Stop();
    access_.EndLeading();
    return;
  }
  reign_.emplace(Reign{std::move(leading), std::move(leadership), *guard});
  spdlog::info("this node leads from term {} on queues={}", reign_->leading->log.term(), queues);
  BeginServing();
}

void ClusterDaemon::BeginServing() {
  Leadership& leadership = *reign_->leadership;
  {
    MutexLock lock(mutex_);
    serving_ = &leadership;
  }
  const auto statistics = [this] { return Statistics(&*reign_); };
  const CallGate::Broker broker{leadership.requests(), leadership.clock_control(), statistics,
                                reign_->guard, amqp_.get()};
  server_->Open(broker);
  if (amqp_) amqp_->Open(leadership.requests(), reign_->guard);
  if (http_) http_->Open(broker);
  if (console_) console_->Open(broker);
  world_.statistics.Open(statistics);
  TellPart();
  desk_->OnServing(access_.root_file());
}

void ClusterDaemon::TellPart() {
  MutexLock in_order(part_mutex_);
  const bool leads = [this] {
    MutexLock lock(mutex_);
    return serving_ != nullptr;
  }();
  std::string how = leads ? "this node leads its cluster" : Elsewhere().message();
  if (const std::string trouble = node_->trouble(); !trouble.empty()) how += "; " + trouble;
  world_.health.SetPart({leads, std::move(how)});
}

// Its log ends, and the node begins anew in the same term; what does not pass by itself ends the
// process.
void ClusterDaemon::GiveUp(LeadingLog& leading, const Status& why) {
  spdlog::warn("this node was to lead and could not: {}", why.message());
  leading.log.Close(why);
  if (!IsTransient(why.code())) world_.fail(why);
}

// Where the process stops the log is still open, and what was taken may still be committed.
void ClusterDaemon::EndReign() {
  const Status reason = Elsewhere();
  desk_->OnServingEnded();
  const bool is_stopping = [this] {
    MutexLock lock(mutex_);
    serving_ = nullptr;
    return is_stopping_;
  }();
  TellPart();
  const StopTime time(is_stopping ? kStopGrace : kEndGrace);
  if (!is_stopping) reign_->leadership->Close(reason);
  if (amqp_) amqp_->BeginClose();
  if (http_) http_->BeginClose(reason);
  if (console_) console_->BeginClose(reason);
  server_->Close(reason, is_stopping ? kStopGrace : kEndGrace);
  if (amqp_) amqp_->Close(time.left());
  if (http_) http_->Close(time.left());
  if (console_) console_->Close(time.left());
  // Behind the doors: whoever just reads figures may wait for a disk that hangs.
  world_.statistics.Open([this] { return Statistics(nullptr); });
  if (is_stopping) reign_->leadership->AwaitCommit(kCommitGrace);
  reign_->leading->log.Close(reason);
  reign_->leadership->Stop();
  // From here on the rules are those in the store: what was told of them must be written.
  static_cast<void>(node_->store().View());
  access_.EndLeading();
  desk_->CountRefused(reign_->leading->log.refused());
  spdlog::info("this node leads no more");
  if (!is_stopping) TellElsewhere();
  reign_.reset();
  wake_.notify_all();
}

Status ClusterDaemon::Elsewhere() const {
  if (!node_->is_member()) {
    return Status::NotOwned({},
                            "this node belongs to no cluster yet: it waits to be invited, or "
                            "for `wharf cluster init`");
  }
  if (node_->lacks_state()) {
    return Status::NotOwned({}, "this node has lost its state, and takes that of another one");
  }
  const std::optional<MemberRecord> leader = node_->leader();
  if (!leader && node_->is_hanging()) return Hanging();
  if (!leader) return Status::NotOwned({}, "the cluster has no leader just now: ask again");
  return Status::NotOwned(leader->client_address,
                          "this node does not lead its cluster; '" + leader->name + "' does");
}

BrokerStatistics ClusterDaemon::Statistics(const Reign* reign) {
  DaemonParts parts{started_at_,   wall_->Now(), nullptr,      {},
                    care_.store(), care_.gate(), connections_, access_.guard(),
                    server_.get(), amqp_.get(),  http_.get(),  world_.tracer};
  parts.entries_folder = node_options_.data + "/entries";
  parts.archive = archive_.get();
  if (reign != nullptr) {
    parts.now = reign->leading->clock.Now();
    parts.leadership = reign->leadership.get();
    parts.log = reign->leading->log.stats();
    // Rules that came while it leads without any are obeyed by the next reign.
    parts.guard = reign->guard;
  }
  BrokerStatistics statistics = StatisticsOf(parts);
  statistics.cluster = desk_->last();
  return statistics;
}

Watchdog::World ClusterDaemon::ForWatchdog() {
  return {.disk_age = [this] { return node_ == nullptr ? Duration() : node_->disk_age(); },
          .turn_age =
              [this] {
                MutexLock lock(mutex_);
                return serving_ == nullptr ? Duration() : serving_->shard().watch().age();
              },
          .disk = [this] { return care_.gate().report(); }};
}

BackupKeeper::World ClusterDaemon::ForBackups() {
  return {.store = care_.store(),
          .threads = backup_threads_,
          .wall = BrokerClock::SystemSources().wall,
          .disk = [this] { return care_.gate().report(); },
          .owner = [this] { return OwnerOfBackups(); },
          .checkpoint = [this](const std::string& folder) { return node_->Checkpoint(folder); },
          .archive = archive_.get()};
}

Result<BackupKeeper::Owner> ClusterDaemon::OwnerOfBackups() const {
  if (node_->lacks_state()) {
    return Status(ErrorCode::kInvalidOperation,
                  "this node has lost its state, and takes that of another one: ask the others");
  }
  // A broker that waits to found a cluster is one by itself.
  if (world_.is_single) return BackupKeeper::Owner();
  const bool has_cluster = node_->is_member();
  return BackupKeeper::Owner{.is_node = true,
                             .cluster_id = has_cluster ? node_->cluster().ToText() : "",
                             .node_name = node_options_.name};
}

void ClusterDaemon::CloseGates() {
  world_.health.SetWatch({});
  world_.statistics.Close();
  world_.statistics.OpenConsole(nullptr);
  world_.statistics.OpenCluster(nullptr);
  world_.guard.Close();
}

// Somebody else leads first, so that clients wait for no election.
void ClusterDaemon::HandOver() {
  if (node_ == nullptr || !node_->HandOver()) return;
  const Duration until = SteadyNow() + kHandOverGrace;
  MutexLock lock(mutex_);
  while (serving_ != nullptr && SteadyNow() < until) wake_.wait_for(mutex_, until - SteadyNow());
}

void ClusterDaemon::Stop(bool is_healthy) {
  world_.health.Note(Ailment::kStopping, "the broker is stopping: it answers what it has taken");
  const ClusterNode* const node = node_.get();
  StopLimit limit(kStandstillMax, kStopLimit,
                  {.writes = [node] { return node == nullptr ? 0 : node->syncs(); },
                   .age = [node] { return node == nullptr ? Duration(0) : node->disk_age(); }});
  if (is_healthy) HandOver();
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  CloseGates();
  certificate_looks_.reset();
  watches_.reset();
  if (node_) node_->WatchLeader({});
  cluster_looks_.reset();
  if (desk_) desk_->Close(access_.root_file());
  const StopTime time(kStopGrace);
  if (amqp_) amqp_->BeginStop();
  if (http_) http_->BeginStop();
  if (console_) console_->BeginStop();
  if (server_) server_->Stop(kStopGrace);
  if (amqp_) amqp_->Stop(time.left());
  if (http_) http_->Stop(time.left());
  if (console_) console_->Stop(time.left());
  backups_.Stop();
  care_.EndLooks();
  care_.StopGivingBack();
  limit.ForgetDisk();
  node_.reset();
  limit.BeginAnew();
  StopArchive(archive_.get());
  limit.BeginAnew();
  desk_.reset();
  access_.End();
  care_.Close(is_healthy, [&limit] { limit.ExpectSilence(); });
  is_stopped_ = true;
}

}  // namespace wharf
