// wharfd: the daemon. Reads its configuration, opens the store, starts the broker, waits for a
// reason to stop, and takes it down again.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/config/command_line.h"
#include "broker/config/configuration.h"
#include "broker/config/environment.h"
#include "broker/config/verbs.h"
#include "broker/daemon/cluster/cluster_daemon.h"
#include "broker/daemon/cluster/node_format.h"
#include "broker/daemon/cluster/node_settings.h"
#include "broker/daemon/daemon.h"
#include "broker/daemon/folder/archiving.h"
#include "broker/daemon/folder/data_folder.h"
#include "broker/daemon/folder/ephemeral_folder.h"
#include "broker/daemon/folder/folder_claim.h"
#include "broker/daemon/folder/recover.h"
#include "broker/daemon/folder/restore.h"
#include "broker/daemon/folder/start_space.h"
#include "broker/daemon/listening/clients.h"
#include "broker/daemon/listening/listeners.h"
#include "broker/daemon/listening/root_access.h"
#include "broker/daemon/process/core_dumps.h"
#include "broker/daemon/process/log.h"
#include "broker/daemon/process/reloader.h"
#include "broker/daemon/process/service_manager.h"
#include "broker/daemon/process/settings_check.h"
#include "broker/daemon/process/stop_signal.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/doors/common/health.h"
#include "broker/doors/common/statistics_gate.h"
#include "broker/doors/http/http_post.h"
#include "broker/doors/http/http_server.h"
#include "broker/doors/http/metrics.h"
#include "broker/doors/http/operations.h"
#include "broker/emulator/bring_up.h"
#include "broker/emulator/config_json.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "broker/trace/endpoint.h"
#include "broker/trace/exporter.h"
#include "broker/trace/span_file.h"
#include "replication/cluster_node/node_folder.h"
#include "replication/cluster_node/node_store.h"
#include "storage/apply/catch_up.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/broker_clock.h"
#include "storage/base/random.h"
#include "storage/base/ticker.h"
#include "storage/log/single_folder.h"
#include "storage/rocks/random_compaction.h"

// Read by jemalloc before main: freed memory goes back to the system within about a second, also
// while nobody allocates.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): jemalloc chose the name.
extern const char* const malloc_conf;
const char* const malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace wharf {
namespace {

// Nothing: the broker runs by itself. What is wrong is found before anything is changed.
Result<std::optional<ClusterNode::Options>> NodeOf(const config::Settings& settings,
                                                   const Listeners& listeners) {
  if (!settings.has_node()) return std::optional<ClusterNode::Options>();
  Result<ClusterNode::Options> options = NodeOptionsOf(settings, listeners);
  if (!options.ok()) return options.status();
  return std::optional(*std::move(options));
}

// Makes the folder a broker's, and finds out when it was last written.
Result<FolderState> PrepareFolder(RocksStore& store, const std::string& folder,
                                  std::uint64_t format) {
  Result<FolderState> state = LoadFolderState(store, folder);
  if (!state.ok() || !state->is_new) return state;
  const WriteBatch batch = EncodeFormat(format);
  if (Status written = store.Write({&batch, 1}, RocksStore::Sync::kYes); !written.ok()) {
    return written;
  }
  spdlog::info("new data folder {}", folder);
  return state;
}

void SayFormat() {
  spdlog::info("the data folder has format {} from now on; an older wharfd refuses it",
               kFormatVersion);
}

Status CheckClock(const config::Settings& settings, const FolderState& folder) {
  if (settings.accept_clock || settings.has_manual_clock()) return {};
  return BrokerClock::CheckStart(BrokerClock::SystemSources().wall(), folder.last_committed);
}

// Of a broker by itself, whose folder is of before, and is converted with this; a start that is
// refused leaves it as it was.
Result<WriteBatch> TakeFormat(RocksStore& store, const config::Settings& settings) {
  const Result<FolderState> state = LoadFolderState(store, settings.data);
  if (!state.ok()) return state.status();
  WHARF_RETURN_IF_ERROR(CheckClock(settings, *state));
  SayFormat();
  return EncodeFormat();
}

// The same of a folder that has its log beside its state already.
Status RaiseFormat(RocksStore& store, const FolderState& folder, const std::string& data) {
  if (!folder.is_older) return {};
  const WriteBatch batch = EncodeFormat();
  // No log has it, so what is archived begins anew behind it.
  BatchArchive::Forget(data);
  WHARF_RETURN_IF_ERROR(store.Write({&batch, 1}, RocksStore::Sync::kYes));
  SayFormat();
  return {};
}

// After a write of a compaction that failed RocksDB may abort (storage/README.md), so it must not
// go on; and nothing is taken down, because that waits for it.
[[noreturn]] void EndAtOnce(const Status& failure) {
  spdlog::error("wharfd ends: {}", failure.message());
  std::_Exit(1);
}

// Between two looks whether their files have changed.
constexpr Duration kCertificatesPace = std::chrono::seconds(1);

Router OperationsOf(MetricSources sources) {
  Router router;
  AddHealth(router, sources.health);
  AddMetrics(router, std::move(sources));
  return router;
}

// At every start, so that nobody forgets it.
void WarnOfInsecurity(const config::Settings& settings) {
  if (!settings.insecure) return;
  const std::vector<std::string> open = config::InsecureListeners(settings);
  for (const std::string& listener : open) {
    spdlog::warn("insecure is set: others reach {}", listener);
  }
  const bool are_peers_open = !settings.node.empty() && settings.peer_ca.empty();
  if (are_peers_open) {
    spdlog::warn("insecure is set: who reaches {} may be any node", settings.peer_listen);
  }
  if (open.empty() && !are_peers_open) spdlog::warn("insecure is set, and nothing needs it");
}

// A broker whose clients must prove who they are has a rule of the namespace: who made it did not
// mean that everybody may do everything. Those of queues and topics a program may have made here
// with their descriptions, and finds them again.
Status CheckRulesOfEmulator(const config::Settings& settings, const BrokerImage& image) {
  const auto& rules = image.access_rules;
  if (std::any_of(rules.begin(), rules.end(), IsOfNamespace)) {
    return {ErrorCode::kGeneralError,
            fmt::format("{} has access rules, {} of them, and the emulator takes any key: start "
                        "without --emulator, or name another folder",
                        settings.data, rules.size())};
  }
  if (!rules.empty()) {
    spdlog::info("the emulator takes any key: {} access rules are kept and not asked",
                 rules.size());
  }
  return {};
}

// Whether access is on. What has keys in memory is in no core dump: where there are rules they are
// there, whether they are obeyed or not.
Result<bool> PrepareAccess(RocksStore& store, const config::Configuration& configuration,
                           const Listeners& listeners, BrokerImage& image) {
  const bool has_rules = !image.access_rules.empty();
  if (configuration.settings.is_emulator()) {
    if (has_rules) KeepOutOfCores();
    WHARF_RETURN_IF_ERROR(CheckRulesOfEmulator(configuration.settings, image));
    return false;
  }
  const Result<bool> is_on = IsAccessOn(configuration, image.access_rules.size());
  if (!is_on.ok()) return is_on;
  if (*is_on || has_rules) KeepOutOfCores();
  if (*is_on) {
    WHARF_RETURN_IF_ERROR(
        MakeRootAccess({[&](const WriteBatch& batch) {
                          // No log has it, so what is archived begins anew behind it.
                          BatchArchive::Forget(configuration.settings.data);
                          return store.Write({&batch, 1}, RocksStore::Sync::kYes);
                        },
                        configuration.settings.data, listeners.Endpoint(), access::SystemKeys()},
                       BrokerClock::SystemSources().wall(), image));
    return true;
  }
  if (has_rules) {
    spdlog::warn(
        "access is off, though the folder has {} access rules: whoever reaches {} may do "
        "everything; start without --access=off to have them obeyed",
        image.access_rules.size(), listeners.ToText());
  }
  return false;
}

// In which a receiver takes a batch of spans.
constexpr Duration kSpansPatience = std::chrono::seconds(2);

// Of the receiver of spans; none if nobody said where one is.
Result<std::optional<HttpPlace>> ReceiverOfSpans(const config::Settings& settings) {
  if (settings.trace_otlp_endpoint.empty()) return std::optional<HttpPlace>();
  const auto endpoint = trace::ParseEndpoint(settings.trace_otlp_endpoint);
  if (!endpoint.ok()) return endpoint.status();
  HttpPlace place{endpoint->host, endpoint->port, endpoint->target};
  if (endpoint->has_tls) {
    const Result<HttpTrust> trust = TrustIn(settings.trace_otlp_ca);
    if (!trust.ok()) return trust.status();
    place.trust = *trust;
  }
  return std::optional(std::move(place));
}

// To the receiver and to the file, as far as there are; each gets what the other does not take.
trace::Exporter::Deliver DeliveryOfSpans(const config::Settings& settings,
                                         const std::optional<HttpPlace>& place) {
  std::optional<trace::SpanFile> file;
  if (!settings.trace_file.empty()) file.emplace(settings.trace_file);
  return [place, file](const std::string& request, const std::stop_token& hurry) {
    const Status written = file ? file->Append(request) : Status();
    const Status posted = place ? PostJson(*place, request, kSpansPatience, hurry) : Status();
    return written.ok() ? posted : written;
  };
}

// Null: nobody wants spans.
Result<std::unique_ptr<trace::Exporter>> StartTracing(const config::Settings& settings) {
  if (!settings.traces()) return std::unique_ptr<trace::Exporter>();
  if (!settings.trace_file.empty()) {
    WHARF_RETURN_IF_ERROR(trace::SpanFile(settings.trace_file).Check());
  }
  const auto receiver = ReceiverOfSpans(settings);
  if (!receiver.ok()) return receiver.status();
  const bool takes_all = settings.trace_sample == "all";
  return std::make_unique<trace::Exporter>(
      trace::Exporter::Options{
          .version = WHARF_VERSION,
          .sampling = takes_all ? trace::Sampling::kAll : trace::Sampling::kParent},
      std::make_unique<SystemRandom>(), DeliveryOfSpans(settings, *receiver));
}

// What a reload, and files of certificates that change, do while it runs.
template <typename AnyDaemon>
Status WaitForTheEnd(AnyDaemon& daemon, const config::Sources& sources,
                     const config::Settings& settings, const Listeners& listeners,
                     StopSignal& stop) {
  Reloader reloader(sources, settings, [&](const auto& changed) { return daemon.Take(changed); });
  const std::shared_ptr<Certificates> certificates = listeners.certificates();
  std::optional<Ticker> looks;
  if (certificates) looks.emplace(kCertificatesPace, [&] { certificates->Look(); });
  const bool has_more = !sources.file.empty() || !settings.jwt_keys.empty();
  if (certificates || has_more) {
    stop.OnHangUp([&] {
      if (has_more && !reloader.Reload()) return;
      if (certificates) certificates->Reload();
    });
  }
  return stop.Wait();
}

// Serves until there is a reason to stop. `about`: what else the ready line says.
template <typename AnyDaemon>
Status Run(AnyDaemon& daemon, const config::Sources& sources, const config::Settings& settings,
           Listeners& listeners, const std::string& about, StopSignal& stop) {
  WHARF_RETURN_IF_ERROR(daemon.Start(listeners));
  const std::string places = listeners.ToText();
  spdlog::info("wharfd ready on {} version={} data={} {}", places, WHARF_VERSION, settings.data,
               about);
  TellReady(fmt::format("Serving on {}", places));
  return WaitForTheEnd(daemon, sources, settings, listeners, stop);
}

// What is thrown meanwhile is a reason to stop as any other: what is open by then is closed in
// order, before what it looks at goes.
template <typename AnyDaemon>
Status RunAndStop(AnyDaemon& daemon, const config::Sources& sources,
                  const config::Settings& settings, Listeners& listeners, const std::string& about,
                  StopSignal& stop, Health& health) {
  Status served;
  try {
    served = Run(daemon, sources, settings, listeners, about, stop);
  } catch (const std::exception& error) {
    served = {ErrorCode::kGeneralError, error.what()};
  }
  if (served.ok()) spdlog::info("wharfd stops: it answers what it has taken");
  if (!served.ok()) health.Note(Ailment::kClosedLog, served.message());
  // A supervisor takes that for the end of the process, and kills what lives on.
  if (!stop.begins_again()) TellStopping();
  daemon.Stop(served.ok());
  return served;
}

// What every broker has before its store is open.
struct Opened {
  StopSignal& stop;
  Listeners& listeners;
  std::shared_ptr<const access::ClientRules> clients;
  std::optional<ClusterNode::Options> node;
  Health& health;
  StatisticsGate& statistics;
  GuardGate& guard;
  Garbage& garbage;
  std::unique_ptr<RocksStore> store;
  // Of a broker by itself.
  std::unique_ptr<SegmentLog> log;
  FolderState folder;
  trace::Tracer* tracer;
  const emulator::Wanted& wanted;
  // Of a node: its folder is still that of a broker by itself; or why its state is lost
  // (NodeStore).
  bool is_single;
  std::string lost;
  // Whom backups and the archive are encrypted to.
  std::optional<Recipient> backup_recipient;
};

// How a broker ended. It begins again if what is in its folder has changed.
struct Served {
  Status status;
  bool begins_again = false;
};

// Off where the flag says so, and nowhere else: rules may come from the cluster at any time.
NodeAccess::Options AccessOfNode(const config::Configuration& configuration,
                                 const Listeners& listeners,
                                 std::shared_ptr<const access::ClientRules> clients) {
  NodeAccess::Options options{.clients = std::move(clients),
                              .folder = configuration.settings.data,
                              .endpoint = listeners.Endpoint()};
  const config::Key& key = *config::FindKey("access");
  const std::string& origin = configuration.OriginOf(key);
  const std::string& said = configuration.settings.access;
  options.mode = said == "on" ? NodeAccess::Mode::kOn : NodeAccess::Mode::kFromFirstRule;
  if (said == "off" && origin == config::FlagOf(key)) options.mode = NodeAccess::Mode::kOff;
  if (said == "off") options.says_off = origin;
  return options;
}

// A node of a cluster: what its broker keeps is loaded when it leads.
Served ServeNode(const config::Sources& sources, const config::Configuration& configuration,
                 Opened opened) {
  const config::Settings& settings = configuration.settings;
  StopSignal& stop = opened.stop;
  stop.Begin();
  NodeAccess::Options access = AccessOfNode(configuration, opened.listeners, opened.clients);
  if (access.mode == NodeAccess::Mode::kOff) WarnOfVainClients(configuration);
  ClusterDaemon daemon(
      std::move(opened.store), settings, std::move(*opened.node), std::move(access),
      {opened.garbage, opened.health, opened.statistics, opened.guard, opened.tracer,
       [&stop](Status why) { stop.OnClosed(std::move(why)); }, [&stop] { stop.OnReopen(); },
       opened.is_single, std::move(opened.lost), std::move(opened.backup_recipient)});
  const Status served = RunAndStop(daemon, sources, settings, opened.listeners,
                                   "node=" + settings.node, stop, opened.health);
  return {served, served.ok() && stop.begins_again()};
}

Served ServeAlone(const config::Sources& sources, const config::Configuration& configuration,
                  Opened opened) {
  const config::Settings& settings = configuration.settings;
  Result<BrokerImage> image = LoadBroker(*opened.store);
  if (!image.ok()) return {image.status()};
  const Result<bool> is_access_on =
      PrepareAccess(*opened.store, configuration, opened.listeners, *image);
  if (!is_access_on.ok()) return {is_access_on.status()};
  if (!*is_access_on) WarnOfVainClients(configuration);
  if (const Status taken = RaiseFormat(*opened.store, opened.folder, settings.data); !taken.ok())
    return {taken};
  const std::size_t queues = image->catalog.queues.size();
  StopSignal& stop = opened.stop;
  stop.Begin();
  const std::string about = fmt::format(
      "{} access={}",
      settings.is_emulator() ? "emulator=" + settings.emulator : fmt::format("queues={}", queues),
      *is_access_on ? "on" : "off");
  Daemon daemon(std::move(opened.store), std::move(opened.log), *std::move(image),
                MakeClock(settings.has_manual_clock(), opened.folder.last_committed), settings,
                {opened.garbage, stop, opened.health, opened.statistics, opened.guard,
                 opened.clients, *is_access_on, opened.tracer,
                 [&opened](Requests& broker) { return emulator::BringUp(opened.wanted, broker); },
                 opened.backup_recipient});
  return {RunAndStop(daemon, sources, settings, opened.listeners, about, stop, opened.health)};
}

// Damage in the state of a node is none in that of another one, which the next start takes.
void EndOnDamage(const config::Settings& settings, const Status& damage) {
  SystemRandom random;
  const NodeFolder folder(settings.data, random);
  if (!folder.has_others(settings.node)) return;
  if (const Status marked = folder.states().MarkDamaged(); !marked.ok()) {
    spdlog::warn("{}", marked.message());
  }
  EndAtOnce({ErrorCode::kGeneralError,
             damage.message() + ": the next start takes the state of another member"});
}

// What a start opens: the log of a broker by itself as well, whose state has all of it.
struct OpenedStore {
  NodeStore node;
  std::unique_ptr<SegmentLog> log;
};

Result<OpenedStore> OpenNode(const config::Settings& settings, RocksStoreOptions options,
                             Random& random) {
  options.on_damage = [&settings](const Status& damage) { EndOnDamage(settings, damage); };
  Result<NodeStore> store =
      OpenNodeStore(NodeFolder(settings.data, random), settings.node, std::move(options));
  if (!store.ok()) return store.status();
  return OpenedStore{.node = *std::move(store), .log = nullptr};
}

// What an older wharfd may not have, or a newer one has, is refused before anything is applied.
Result<OpenedStore> OpenAlone(const config::Settings& settings, const RocksStoreOptions& options,
                              Random& random) {
  Result<SingleFolder> folder =
      SingleFolder::Open(options, BrokerAppliedIndex(), random,
                         [&settings](RocksStore& store) { return TakeFormat(store, settings); });
  if (!folder.ok()) return folder.status();
  const Result<FolderState> state = LoadFolderState(*folder->store, settings.data);
  if (!state.ok()) return state.status();
  const auto caught_up =
      CatchUp(*folder->store, *folder->log, BrokerStatePosition(), BrokerAppliedIndex());
  if (!caught_up.ok()) return caught_up.status();
  return OpenedStore{.node = {.store = std::move(folder->store), .is_single = true},
                     .log = std::move(folder->log)};
}

Result<OpenedStore> OpenStore(const config::Settings& settings, const RocksStoreOptions& options,
                              Random& random) {
  return settings.has_node() ? OpenNode(settings, options, random)
                             : OpenAlone(settings, options, random);
}

Served ServeOnce(const config::Sources& sources, const config::Configuration& configuration,
                 const emulator::Wanted& wanted, SignsOfLife& signs, StopSignal& stop) {
  const config::Settings& settings = configuration.settings;
  WarnOfInsecurity(settings);
  // The ports are had, and the folder looked at, before anything is changed.
  Result<Listeners> listeners = Listeners::Bind(settings);
  if (!listeners.ok()) return {listeners.status()};
  const Result<std::shared_ptr<const access::ClientRules>> clients = LoadClients(settings);
  if (!clients.ok()) return {clients.status()};
  Result<std::optional<Recipient>> recipient = BackupRecipientOf(settings);
  if (!recipient.ok()) return {recipient.status()};
  Result<std::optional<ClusterNode::Options>> node = NodeOf(settings, *listeners);
  if (!node.ok()) return {node.status()};
  // It tells from now on that the broker starts.
  Health health(settings.insecure);
  const SignsOfLife::Subject lives(signs, [&health] { return health.is_alive(); });
  StatisticsGate statistics;
  GuardGate guard;
  HttpServer http({},
                  OperationsOf({health, statistics, guard, listeners->certificates(),
                                [&http] { return http.connections(); }}),
                  HostCheck(settings.http_hosts));
  Status prepared = http.Listen(listeners->Take(ListenerKind::kOperations));
  if (prepared.ok()) prepared = CheckDataFolder(settings.data);
  if (!prepared.ok()) return {prepared};
  // An ephemeral one is claimed since it was made.
  const Result<FolderClaim> claim =
      settings.ephemeral ? FolderClaim() : FolderClaim::Of(settings.data);
  if (!claim.ok()) return {claim.status()};
  // Outlives the broker, and delivers what that leaves.
  const Result<std::unique_ptr<trace::Exporter>> tracing = StartTracing(settings);
  if (!tracing.ok()) return {tracing.status()};
  trace::Exporter* const exporter = tracing->get();
  DiskReserve reserve(settings.data);
  const bool spares_disk = MakeRoomToStart(FolderDisk(settings.data), reserve, settings.data);
  // Both outlive the store: its views stand in the one, its compactions ask the other.
  ViewLedger views;
  Garbage garbage(views);
  RocksStoreOptions options{.path = settings.data,
                            .tables = BrokerTables(garbage),
                            .file_system = nullptr,
                            .spares_disk = spares_disk,
                            .on_background_failure = EndAtOnce,
                            .views = &views,
                            .position = BrokerStatePosition()};
  SystemRandom random;
  Result<OpenedStore> opened_store = OpenStore(settings, options, random);
  if (!opened_store.ok()) return {opened_store.status()};
  NodeStore& node_store = opened_store->node;
  RocksStore& store = *node_store.store;
  const bool stands_in = !node_store.lost.empty();
  Result<FolderState> folder =
      PrepareFolder(store, stands_in ? StateFolder(settings.data).stand_in() : settings.data,
                    *node ? kOldestFormatVersion : kFormatVersion);
  if (!folder.ok()) return {folder.status()};
  prepared = CheckClock(settings, *folder);
  // What is garbage is not known yet.
  if (settings.compact_at_random > Duration(0)) {
    static_cast<void>(RandomCompaction(store, random).Run());
  }
  if (prepared.ok()) prepared = garbage.Load(store);
  if (prepared.ok() && *node && node_store.is_single) {
    prepared = CheckFounder(*folder, settings.data, (*node)->format_level_max);
  }
  if (!prepared.ok()) return {prepared};
  Opened opened{.stop = stop,
                .listeners = *listeners,
                .clients = *clients,
                .node = *std::move(node),
                .health = health,
                .statistics = statistics,
                .guard = guard,
                .garbage = garbage,
                .store = std::move(node_store.store),
                .log = std::move(opened_store->log),
                .folder = *std::move(folder),
                .tracer = exporter == nullptr ? nullptr : &exporter->tracer(),
                .wanted = wanted,
                .is_single = node_store.is_single,
                .lost = std::move(node_store.lost),
                .backup_recipient = *std::move(recipient)};
  const Served served = settings.has_node() ? ServeNode(sources, configuration, std::move(opened))
                                            : ServeAlone(sources, configuration, std::move(opened));
  if (exporter != nullptr) exporter->Stop();
  return served;
}

// Again from the ports on, as its configuration is by then, where the folder has to be opened anew.
Status Serve(const config::Sources& sources, config::Configuration configuration,
             const emulator::Wanted& wanted, StopSignal& stop) {
  SignsOfLife signs;
  Served served = ServeOnce(sources, configuration, wanted, signs, stop);
  while (served.begins_again && !stop.HasCome()) {
    spdlog::info("wharfd opens {} anew", configuration.settings.data);
    config::Reading reading = config::ReadConfiguration(sources);
    if (reading.complaints.empty()) configuration = std::move(reading.configuration);
    served = ServeOnce(sources, configuration, wanted, signs, stop);
  }
  if (served.status.ok()) spdlog::info("wharfd stopped");
  return served.status;
}

// What the system refuses (a thread, a timer) comes as an exception; it ends the start with a
// sentence, too.
Status ServeOrSay(const config::Sources& sources, const config::Configuration& configuration,
                  const emulator::Wanted& wanted, StopSignal& stop) {
  try {
    return Serve(sources, configuration, wanted, stop);
  } catch (const std::system_error& error) {
    return {ErrorCode::kGeneralError, error.what()};
  }
}

// Of an ephemeral broker the folder is made here, and named as a flag would: what reads the
// configuration anew finds it, too.
Result<std::unique_ptr<EphemeralFolder>> MakeFolder(config::Sources& sources,
                                                    config::Configuration& configuration) {
  if (!configuration.settings.ephemeral) return std::unique_ptr<EphemeralFolder>();
  Result<std::unique_ptr<EphemeralFolder>> folder = EphemeralFolder::Make(TemporaryFolder());
  if (!folder.ok()) return folder;
  const std::string origin = config::FlagOf(*config::FindKey("ephemeral"));
  sources.flags.push_back({config::FindKey("data"), (*folder)->path(), origin, origin});
  config::Reading named{.configuration = std::move(configuration), .complaints = {}};
  config::Apply({sources.flags.back()}, named);
  configuration = std::move(named.configuration);
  return folder;
}

int StartAndServe(config::Sources sources, config::Configuration configuration,
                  const emulator::Wanted& wanted) {
  IgnoreSignals();
  umask(077);  // What it writes is for nobody else to read.
  StartLog(configuration.settings.log_level, configuration.settings.log_format);
  for (const std::string& sentence : config::StrangeVariables(environ)) {
    spdlog::warn("{}", sentence);
  }

  // A signal does not end the process before its folder is gone, either.
  StopSignal stop;
  // Goes behind everything that is in it.
  const Result<std::unique_ptr<EphemeralFolder>> folder = MakeFolder(sources, configuration);
  const Status served =
      folder.ok() ? ServeOrSay(sources, configuration, wanted, stop) : folder.status();
  if (served.ok()) return 0;
  spdlog::error("wharfd ends: {}", served.message());
  return 1;
}

// What is wrong with it is told as what is wrong with any other file.
emulator::Wanted ReadWanted(config::Reading& reading) {
  const std::string file = reading.configuration.settings.emulator_file();
  if (file.empty() || !reading.complaints.empty()) return {};
  return emulator::ReadConfigJson(file, reading.complaints);
}

int Main(int argc, char** argv) {
  config::CommandLine line;
  if (const auto code = line.Parse(argc, argv)) return *code;
  if (line.verb() == config::CommandLine::Verb::kRestore) {
    return RunRestore(line.restore());
  }
  const config::Sources sources{.file = line.file(),
                                .variables = config::EntriesOfEnvironment(environ),
                                .flags = line.Entries()};
  config::Reading reading = config::ReadConfiguration(sources);
  const emulator::Wanted wanted = ReadWanted(reading);
  ComplainOfNode(reading);
  if (line.verb() == config::CommandLine::Verb::kCheck) ComplainOfFiles(reading);
  const bool is_of_config = line.verb() != config::CommandLine::Verb::kServe &&
                            line.verb() != config::CommandLine::Verb::kRecover;
  if (is_of_config) return config::RunVerb(line.verb(), reading, environ);
  config::ComplainOfMissing(reading);
  if (!reading.complaints.empty()) return config::Refuse(reading.complaints);
  if (line.verb() == config::CommandLine::Verb::kRecover) {
    return RunRecover(reading.configuration.settings, line.accepts_loss());
  }
  return StartAndServe(sources, reading.configuration, wanted);
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) { return wharf::Main(argc, argv); }
