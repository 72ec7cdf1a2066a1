#include "broker/doors/grpc/server.h"

#include <array>
#include <string>

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <unistd.h>

#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

// Services that health checks may ask for; the empty name is all services.
constexpr std::array kServices = {"",
                                  "wharf.v1.Clock",
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
// For what is not ours: health watches, reflection.
constexpr Duration kCloseGrace = std::chrono::milliseconds(100);

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kReceivedBytesMax);
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfterMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kClientPingsMilliseconds);
}

}  // namespace

Server::Server(Requests& requests, ClockControl& clock, StatisticsSource statistics,
               std::unique_ptr<Listener> listener)
    : clock_(clock, calls_),
      management_(requests, std::move(statistics), calls_),
      messaging_(requests, calls_),
      sessions_(requests, calls_),
      topics_(requests, calls_),
      transactions_(requests, calls_),
      listener_(std::move(listener)) {}

Result<std::unique_ptr<Server>> Server::Start(Requests& requests, ClockControl& clock,
                                              StatisticsSource statistics,
                                              std::unique_ptr<Listener> listener) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto server = std::unique_ptr<Server>(
      new Server(requests, clock, std::move(statistics), std::move(listener)));
  grpc::ServerBuilder builder;
  SetLimits(builder);
  using Connections = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  server->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      Connections::FROM_FD, grpc::InsecureServerCredentials());
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{
           &server->clock_, &server->management_, &server->messaging_, &server->sessions_,
           &server->topics_, &server->transactions_}) {
    builder.RegisterService(service);
  }
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr) return Status(ErrorCode::kGeneralError, "gRPC does not start");
  WHARF_RETURN_IF_ERROR(server->Listen());
  return server;
}

Status Server::Listen() {
  for (const char* service : kServices) {
    server_->GetHealthCheckService()->SetServingStatus(service, true);
  }
  return listener_->Start([this](int connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.fd = connection;
    acceptor_->HandleNewConnection(&parameters);
  });
}

// gRPC tells clients to use the connection no more (GOAWAY) only when it drops, without an answer,
// what they begin in the same moment. So they are told by refusals first, and it comes last.
void Server::Stop(Duration grace) {
  // Of all services at one instant.
  server_->GetHealthCheckService()->SetServingStatus(false);
  calls_.Stop();
  if (calls_.WaitUntilNone(grace)) calls_.WaitUntilQuiet(kQuiet, kQuietMax);
  listener_->Stop();
  server_->Shutdown(std::chrono::system_clock::now() + kCloseGrace);
}

}  // namespace wharf
