// AmqpDoor: AMQP 1.0 as the daemon serves it: the connections, and the broker behind them, which
// comes and goes.
//
// While there is none clients are told to come again, with amqp:connection:forced. Made by the
// Daemon or the ClusterDaemon, and used on their threads; what it counts, on any.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/access/guard.h"
#include "broker/doors/amqp/connection/amqp_server.h"
#include "broker/doors/amqp/entities/broker_door.h"
#include "broker/doors/common/client_taker.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/common/guard_gate.h"
#include "broker/requests/broker_statistics.h"
#include "broker/requests/connection_control.h"
#include "broker/requests/requests.h"
#include "storage/base/status.h"

namespace wharf::amqp {

class AmqpDoor final : public ConnectionControl, public ClientTaker {
 public:
  using Patience = std::chrono::milliseconds;
  struct Options {
    // At most so many connections at a time, over all listeners (QUO-6).
    std::size_t connections_max = 5000;
    std::string version{};
    bool serves_jms = false;
  };
  explicit AmqpDoor(const Options& options);

  // Lets clients in, from now on. Once. `elsewhere` has the first word on who comes while there is
  // no broker here.
  Status Listen(std::vector<Doorway> doorways, Elsewhere elsewhere = {});
  // A client that somebody else let in (AmqpServer::Take). Any thread.
  Status Take(Descriptor connection, bool has_tls, std::string client) {
    return server_.Take(std::move(connection), has_tls, std::move(client));
  }
  // Clients that come as WebSockets. Who hands them over is stopped behind this door.
  std::unique_ptr<Room> Reserve() override { return server_.Reserve(); }
  void SetConnectionsMax(std::size_t count) { server_.SetConnectionsMax(count); }
  // Zero: none ends for that (LNK-6).
  void SetLinkIdleMax(Duration max) {
    server_.SetLinkIdleMax(std::chrono::ceil<std::chrono::milliseconds>(max));
  }

  // Connections find this broker from now on; there is no other. A null guard: nobody has to prove
  // anything.
  void Open(Requests& requests, access::Guard* guard);
  // Begins to send everybody away who is there; who comes is told to come again. The broker must
  // answer meanwhile.
  void BeginClose();
  // Waits until they have gone, for a while, and drops those that have not. Then nothing uses the
  // broker any more, but what it still calls itself.
  void Close(Patience patience);
  // Nobody is let in any more, and all are sent away as by BeginClose.
  void BeginStop();
  // Closes, and ends the threads of the door.
  void Stop(Patience patience);

  AmqpStatistics statistics() const;
  std::vector<ConnectionInfo> List(std::uint64_t after, std::size_t count_max) const override {
    return server_.List(after, count_max);
  }
  Status Close(std::uint64_t id) override { return server_.Close(id); }

 private:
  GuardGate guard_;
  BrokerDoor broker_;
  AmqpServer server_;
};

}  // namespace wharf::amqp
