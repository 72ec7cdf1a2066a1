#include "broker/doors/grpc/server.h"

#include <array>
#include <string>

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "broker/doors/grpc/reflection_guard.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/tls_credentials.h"

namespace wharf {
namespace {

// Services that health checks may ask for; the empty name is all services.
constexpr std::array kServices = {"",
                                  "wharf.v1.Backups",
                                  "wharf.v1.Clock",
                                  "wharf.v1.Cluster",
                                  "wharf.v1.Management",
                                  "wharf.v1.Messaging",
                                  "wharf.v1.Sessions",
                                  "wharf.v1.Topics",
                                  "wharf.v1.Transactions"};

// A peer that does not answer a ping is gone: its messages go to others.
constexpr int kPingAfterMilliseconds = 60'000;
constexpr int kPingTimeoutMilliseconds = 20'000;
// Clients may ping as often to find out that the broker is gone.
constexpr int kClientPingsMilliseconds = 5'000;

// Who was refused and begins another call at once shall find the connection still there.
constexpr Duration kQuiet = std::chrono::milliseconds(100);
constexpr Duration kQuietMax = std::chrono::milliseconds(1000);
// How often the log says that clients are turned away.
constexpr Duration kRefusalsPace = std::chrono::seconds(10);
// How often the log says that calls still wait.
constexpr Duration kAnswerPace = std::chrono::seconds(10);
// For what is not ours: health watches, reflection.
constexpr Duration kCloseGrace = std::chrono::milliseconds(100);

// Each place stands for the 16 MiB of the largest request; of one connection half of them, so that
// there is always one for another. What waits has no more than kLookAheadBytes here; so many calls
// may wait because small requests that come at once do so, too, for a moment.
constexpr ReadGate::Limits kReads = {
    .places = 8, .places_of_one = 4, .waiting = 16'384, .wait = std::chrono::seconds(5)};
// What is asked of the cluster is small, and must get through beside everything else.
constexpr ReadGate::Limits kClusterReads = {
    .places = 2, .places_of_one = 1, .waiting = 64, .wait = std::chrono::seconds(5)};
// Long answers that clients have not read; each place stands for about 1 MiB. Whoever asks for more
// than its connection carries is not cut off for its own sake: what is behind waits, and is busy.
constexpr ReadGate::Limits kAnswers = {.places = 256,
                                       .places_of_one = 64,
                                       .waiting = 16'384,
                                       .wait = std::chrono::seconds(5),
                                       .spares_own = true};
// How often those that are slow and those that wait too long are looked for.
constexpr Duration kReadsPace = std::chrono::milliseconds(100);
// What gRPC takes of a request that nobody reads. Fixed: with BDP probes it lets it grow to 4 MiB,
// for every call of a connection that is busy.
constexpr int kLookAheadBytes = 64 * 1024;
// Of one call: the largest token, and what stands beside it.
constexpr int kMetadataBytesMax = 20 * 1024;
// Of one connection, with the calls that wait for messages.
constexpr int kStreamsMax = 10'000;
// Of gRPC itself, for what no place stands for: it reads a request as a whole, however long, before
// it says that it is too long. Beyond it gRPC cuts calls off with RESOURCE_EXHAUSTED.
constexpr std::size_t kTransportBytesMax = std::size_t{384} * 1024 * 1024;

// Counts from any beginning, and goes on whatever broker time does.
Status Starting() {
  return {ErrorCode::kServiceCommunicationProblem,
          "the broker is starting; this was not done, ask again when it runs"};
}

// Services that every node of a cluster offers, whoever leads.
bool IsOfEveryNode(std::string_view service) {
  return service.empty() || service == v1::Cluster::service_full_name() ||
         service == v1::Backups::service_full_name();
}

class ReadClock final : public Clock {
 public:
  Timestamp Now() override {
    return Timestamp(
        std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
  }
};

// What is cut off ends as soon as it has been answered.
void AwaitNone(CallGate& gate, Duration grace) {
  if (gate.WaitUntilNone(grace)) return;
  gate.CutOffAll();
  while (!gate.WaitUntilNone(kAnswerPace)) spdlog::warn("calls still wait for their answers");
}

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetResourceQuota(grpc::ResourceQuota("wharf").Resize(kTransportBytesMax));
  builder.SetMaxReceiveMessageSize(kReceivedBytesMax);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kLookAheadBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsMax);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMetadataBytesMax);
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfterMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kClientPingsMilliseconds);
}

}  // namespace

Server::Server(OpenConnections& connections)
    : connections_(connections),
      refusals_(kRefusalsPace),
      gate_(Starting()),
      cluster_gate_(Starting()),
      reads_clock_(std::make_unique<ReadClock>()),
      reads_(kReads, *reads_clock_),
      cluster_reads_(kClusterReads, *reads_clock_),
      answers_(kAnswers, *reads_clock_),
      vouched_(access::SystemKeys()),
      backups_({cluster_gate_, cluster_reads_, stream_bytes_, vouched_, answers_}),
      clock_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      cluster_({cluster_gate_, cluster_reads_, stream_bytes_, vouched_, answers_}),
      management_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      messaging_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      sessions_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      topics_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      transactions_({gate_, reads_, stream_bytes_, vouched_, answers_}),
      looks_at_reads_(kReadsPace,
                      [this] {
                        reads_.Tick();
                        cluster_reads_.Tick();
                        answers_.Tick();
                      }),
      looks_at_permits_(CallGate::kLapsePace, [this] {
        gate_.EndLapsed();
        cluster_gate_.EndLapsed();
      }) {}

Result<std::unique_ptr<Server>> Server::Start(std::vector<Doorway> doorways,
                                              OpenConnections& connections) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto server = std::unique_ptr<Server>(new Server(connections));
  grpc::ServerBuilder builder;
  SetLimits(builder);
  for (Doorway& doorway : doorways) server->AddWay(builder, std::move(doorway));
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{
           &server->backups_, &server->clock_, &server->cluster_, &server->management_,
           &server->messaging_, &server->sessions_, &server->topics_, &server->transactions_}) {
    builder.RegisterService(service);
  }
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> guards;
  guards.push_back(std::make_unique<ReflectionGuard>(server->gate_));
  builder.experimental().SetInterceptorCreators(std::move(guards));
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr) return Status(ErrorCode::kGeneralError, "gRPC does not start");
  server->inner_ = std::make_unique<InnerChannel>(*server->server_, server->vouched_);
  for (const char* service : kServices) {
    server->server_->GetHealthCheckService()->SetServingStatus(service, false);
  }
  return server;
}

void Server::AddWay(grpc::ServerBuilder& builder, Doorway doorway) {
  using Connections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  credentials_.push_back(doorway.certificates == nullptr ? grpc::InsecureServerCredentials()
                                                         : TlsCredentials(doorway.certificates));
  ways_.push_back({builder.experimental().AddExternalConnectionAcceptor(Connections::FROM_FD,
                                                                        credentials_.back()),
                   std::move(doorway.listener)});
}

void Server::TakePart(const CallGate::Node& node) {
  gate_.SetGuardOfRefusals(node.guard);
  cluster_gate_.Open(node);
  MutexLock lock(health_mutex_);
  takes_part_ = true;
  TellHealth();
}

void Server::LeaveCluster() {
  MutexLock lock(health_mutex_);
  takes_part_ = false;
}

Status Server::Listen() {
  for (const Way& way : ways_) {
    WHARF_RETURN_IF_ERROR(way.listener->Start(
        [this, acceptor = way.acceptor.get()](int connection) { LetIn(*acceptor, connection); }));
  }
  return {};
}

// One too many is closed before a byte: its client hears UNAVAILABLE and tries again, a little
// later each time. Whoever was told more by HTTP/2 would take it for a connection that was there,
// and come again at once.
void Server::LetIn(grpc::experimental::ExternalConnectionAcceptor& acceptor, int connection) {
  if (!connections_.Admit(connection)) {
    close(connection);
    if (const auto unsaid = refusals_.Admit()) {
      spdlog::warn("a client is turned away: as many are connected as max-connections allows{}",
                   Unsaid(*unsaid));
    }
    return;
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.fd = connection;
  acceptor.HandleNewConnection(&parameters);
}

void Server::Open(const CallGate::Broker& broker) {
  gate_.Open(broker);
  reads_.Open();
  answers_.Open();
  MutexLock lock(health_mutex_);
  if (!takes_part_) OpenForLoneNode(broker);
  is_open_ = true;
  TellHealth();
}

void Server::OpenForLoneNode(const CallGate::Broker& broker) {
  cluster_gate_.Open(CallGate::Node{lone_node_, broker.guard, broker.backups});
  cluster_reads_.Open();
}

void Server::Refuse(const Status& reason) { gate_.Refuse(reason); }

std::uint64_t Server::stream_bytes() const {
  return static_cast<std::uint64_t>(stream_bytes_.load(std::memory_order_relaxed));
}

void Server::SetWell(bool is_well) {
  MutexLock lock(health_mutex_);
  is_well_ = is_well;
  TellHealth();
}

// One that runs by itself changes for all services at one instant.
void Server::TellHealth() {
  grpc::HealthCheckServiceInterface& health = *server_->GetHealthCheckService();
  const bool leads = is_open_ && is_well_;
  if (!takes_part_) return health.SetServingStatus(leads);
  for (const char* service : kServices) {
    health.SetServingStatus(service, IsOfEveryNode(service) ? is_well_ : leads);
  }
}

void Server::Close(const Status& reason, Duration grace) {
  RefuseCalls(reason);
  AwaitNone(gate_, grace);
  RefuseCallsOfLoneNode(reason);
}

void Server::RefuseCalls(const Status& reason) {
  {
    MutexLock lock(health_mutex_);
    is_open_ = false;
    TellHealth();
  }
  gate_.Close(reason);
  reads_.Close(reason);
  answers_.Close(reason);
}

// A lone node answers at once.
void Server::RefuseCallsOfLoneNode(const Status& reason) {
  {
    MutexLock lock(health_mutex_);
    if (takes_part_) return;
  }
  RefuseCallsOfCluster(reason);
  AwaitNone(cluster_gate_, Duration(0));
}

void Server::RefuseCallsOfCluster(const Status& reason) {
  cluster_gate_.Close(reason);
  cluster_reads_.Close(reason);
}

// gRPC tells clients to use the connection no more (GOAWAY) only when it drops, without an answer,
// what they begin in the same moment. So they are told by refusals first, and it comes last. A call
// that has no answer by then, because the disk gives none, is not cut off: its connection breaks,
// so that its client knows that the outcome is unknown.
void Server::Stop(Duration grace) {
  const Status stopping(ErrorCode::kServiceCommunicationProblem,
                        "the broker is stopping; this was not done, ask again when it runs");
  LeaveCluster();
  RefuseCalls(stopping);
  RefuseCallsOfCluster(stopping);
  if (gate_.WaitUntilNone(grace)) gate_.WaitUntilQuiet(kQuiet, kQuietMax);
  static_cast<void>(cluster_gate_.WaitUntilNone(grace));
  for (const Way& way : ways_) way.listener->Stop();
  server_->Shutdown(std::chrono::system_clock::now() + kCloseGrace);
}

}  // namespace wharf
