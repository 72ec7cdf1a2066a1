// Server: serves clients over gRPC, with health checking and reflection. Made by the Daemon.
#pragma once

#include <memory>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/listener.h"
#include "broker/doors/grpc/services/clock_service.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/doors/grpc/services/messaging_service.h"
#include "broker/doors/grpc/services/sessions_service.h"
#include "broker/doors/grpc/services/topics_service.h"
#include "broker/doors/grpc/services/transactions_service.h"
#include "storage/base/ticker.h"

namespace wharf {

class Server {
 public:
  // Nobody is let in yet, and there is no broker: calls would be refused.
  static Result<std::unique_ptr<Server>> Start(std::unique_ptr<Listener> listener);

  int port() const { return listener_->port(); }
  // Lets clients in, from now on.
  Status Listen();

  // Calls go to this broker from now on, and health says SERVING. There is no other one.
  void Open(const CallGate::Broker& broker);
  // Ends all calls and streams in order, so that no client that reads is left in doubt: health says
  // NOT_SERVING, new calls are refused for this reason, waits end, and streams end behind the
  // answers to what they took. What has not come to its end when `grace` is over is cut off: as a
  // rule its client does not read. Returns when no call is left; the broker must answer everything
  // meanwhile, and may still tell streams that have ended.
  void Close(const Status& reason, Duration grace);
  // Closes; then, when all is quiet, no client is let in any more and connections are closed.
  void Stop(Duration grace);

 private:
  explicit Server(std::unique_ptr<Listener> listener);

  // From now on; those under way are told to end.
  void RefuseCalls(const Status& reason);

  CallGate gate_;
  const std::unique_ptr<Clock> reads_clock_;
  ReadGate reads_;
  ClockService clock_;
  ManagementService management_;
  MessagingService messaging_;
  SessionsService sessions_;
  TopicsService topics_;
  TransactionsService transactions_;
  Ticker looks_at_reads_;
  Ticker looks_at_permits_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listener> listener_;  // Last: it goes first, because it calls the acceptor.
};

}  // namespace wharf
