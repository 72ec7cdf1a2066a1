// ServiceBusDoor: Service Bus over HTTP as the daemon serves it: the connections, and the broker
// behind them, which comes and goes.
//
// While there is none clients are told to come again, with 503. Made by the Daemon or the
// ClusterDaemon, and used on their threads; what it counts, on any.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/client_taker.h"
#include "broker/doors/common/doorway.h"
#include "broker/doors/common/health.h"
#include "broker/doors/http/atom/atom_handler.h"
#include "broker/doors/http/http_server.h"
#include "broker/doors/http/rest/message_door.h"
#include "broker/doors/http/servicebus/servicebus_service.h"
#include "broker/requests/broker_statistics.h"
#include "storage/base/status.h"
#include "storage/base/ticker.h"

namespace wharf {

class ServiceBusDoor {
 public:
  struct Options {
    HttpLimits limits{};
    // Of answers that clients have not read; beyond it nothing more is received.
    std::int64_t outgoing_bytes_max = std::int64_t{256} << 20;
    // Beside localhost: by which nobody has to prove anything.
    std::vector<std::string> hosts{};
    // Who serves those that come as WebSockets; outlives the door, and has none of them any more
    // when it stops. Null: there are none.
    ClientTaker* amqp = nullptr;
    // Stands in for the emulator (ServiceBusService::World); outlives the door.
    const Health* emulator_health = nullptr;
  };

  explicit ServiceBusDoor(const Options& options);
  ~ServiceBusDoor();

  // Lets clients in, from now on. Once. `elsewhere` has the first word on each.
  Status Listen(std::vector<Doorway> doorways, Elsewhere elsewhere = {});
  // A client that somebody else let in (HttpServer::Take). Any thread.
  Status Take(Descriptor connection, bool has_tls, std::string client) {
    return server_.Take(std::move(connection), has_tls, std::move(client));
  }

  // Who does not lead says where the broker is only to who proves by this guard that it may ask;
  // null: to everybody. Before it listens.
  void SetGuardOfRefusals(access::Guard* guard) { gate_.SetGuardOfRefusals(guard); }
  // Calls find this broker from now on; there is no other.
  void Open(const CallGate::Broker& broker) { gate_.Open(broker); }
  // While there is none: this is why.
  void Refuse(const Status& reason) { gate_.Refuse(reason); }
  // From now on calls are refused for this reason, and those that wait end.
  void BeginClose(const Status& reason) { gate_.Close(reason); }
  // Until the last has its answer, and cuts those off that take longer. Then nothing uses the
  // broker any more.
  void Close(Duration patience);
  // Nobody is let in any more, and all are sent away as by BeginClose.
  void BeginStop();
  // Closes, and ends the threads of the door.
  void Stop(Duration patience);

  HttpStatistics statistics() const;

 private:
  CallGate gate_;
  HttpCounts counts_;
  rest::MessageDoor messages_;
  AtomHandler entities_;
  HttpServer server_;
  Ticker looks_at_permits_;
};

}  // namespace wharf
