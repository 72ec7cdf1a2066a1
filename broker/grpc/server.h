// Server: listens for gRPC, with health checking and reflection. Made by the Daemon.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "broker/engine/broker.h"
#include "broker/grpc/clock_service.h"
#include "broker/grpc/management_service.h"
#include "broker/grpc/messaging_service.h"
#include "broker/grpc/sessions_service.h"
#include "broker/grpc/topics_service.h"
#include "broker/grpc/transactions_service.h"

namespace wharf {

class Server {
 public:
  // Listens on `address` ("127.0.0.1:5680"; port 0 takes any free one).
  static Result<std::unique_ptr<Server>> Listen(Broker& broker, ClockControl& clock,
                                                StatisticsSource statistics,
                                                const std::string& address);

  int port() const { return port_; }

  // Refuses new calls, gives those under way until `grace` is over, then cancels them. Returns when
  // no call is left; the broker must still answer meanwhile.
  void Stop(Duration grace);

 private:
  Server(Broker& broker, ClockControl& clock, StatisticsSource statistics)
      : clock_(clock),
        management_(broker, std::move(statistics)),
        messaging_(broker),
        sessions_(broker),
        topics_(broker),
        transactions_(broker) {}

  ClockService clock_;
  ManagementService management_;
  MessagingService messaging_;
  SessionsService sessions_;
  TopicsService topics_;
  TransactionsService transactions_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace wharf
