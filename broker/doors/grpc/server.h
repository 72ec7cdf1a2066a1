// Server: serves clients over gRPC, with health checking and reflection. Made by the Daemon.
#pragma once

#include <memory>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "broker/doors/grpc/listener.h"
#include "broker/doors/grpc/services/clock_service.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/doors/grpc/services/messaging_service.h"
#include "broker/doors/grpc/services/open_calls.h"
#include "broker/doors/grpc/services/sessions_service.h"
#include "broker/doors/grpc/services/topics_service.h"
#include "broker/doors/grpc/services/transactions_service.h"
#include "broker/requests/requests.h"

namespace wharf {

class Server {
 public:
  // Serves clients that the listener lets in, from now on.
  static Result<std::unique_ptr<Server>> Start(Requests& requests, ClockControl& clock,
                                               StatisticsSource statistics,
                                               std::unique_ptr<Listener> listener);

  int port() const { return listener_->port(); }

  // Stops in order, so that no client that reads is left in doubt: health says NOT_SERVING, new
  // calls are refused, waits end, and streams end behind the answers to what they took; when all is
  // quiet no client is let in any more and connections are closed. One that does not read its
  // answers is cut off when `grace` is over. Returns when no call is left; the broker must still
  // answer meanwhile.
  void Stop(Duration grace);

 private:
  Server(Requests& requests, ClockControl& clock, StatisticsSource statistics,
         std::unique_ptr<Listener> listener);

  Status Listen();

  OpenCalls calls_;
  ClockService clock_;
  ManagementService management_;
  MessagingService messaging_;
  SessionsService sessions_;
  TopicsService topics_;
  TransactionsService transactions_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Listener> listener_;  // Last: it goes first, because it calls the acceptor.
};

}  // namespace wharf
