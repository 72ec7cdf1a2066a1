#include "broker/grpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>

namespace wharf {
namespace {

// A request may hold an atomic batch of 1 MiB, or many messages up to this.
constexpr int kRequestBytesMax = 16 * 1024 * 1024;

}  // namespace

Result<std::unique_ptr<Server>> Server::Listen(Broker& broker, ClockControl& clock,
                                               StatisticsSource statistics,
                                               const std::string& address) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto server = std::unique_ptr<Server>(new Server(broker, clock, std::move(statistics)));
  grpc::ServerBuilder builder;
  // Two daemons on one port must not share its clients in secret.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kRequestBytesMax);
  builder.SetMaxSendMessageSize(-1);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &server->port_);
  builder.RegisterService(&server->clock_);
  builder.RegisterService(&server->management_);
  builder.RegisterService(&server->messaging_);
  builder.RegisterService(&server->sessions_);
  builder.RegisterService(&server->topics_);
  builder.RegisterService(&server->transactions_);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || server->port_ == 0) {
    return Status(ErrorCode::kGeneralError,
                  "cannot listen on " + address + ": it is in use, or no address of this machine");
  }
  return server;
}

void Server::Stop(Duration grace) {
  server_->GetHealthCheckService()->SetServingStatus(false);
  server_->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace wharf
