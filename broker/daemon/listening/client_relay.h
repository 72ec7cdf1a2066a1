// ClientRelay: clients of AMQP and of HTTP who came to a node of a cluster that does not lead, on
// their way to the door of the one that does; the bytes travel as they are
// (replication/peers/relay).
//
// Made by the ClusterDaemon; where clients come in it is asked on the threads of the listeners, and
// for those that other nodes bring on the strand of the peers.
#pragma once

#include <cstdint>
#include <string>

#include "broker/access/guard.h"
#include "broker/doors/amqp/entities/amqp_door.h"
#include "broker/doors/common/elsewhere.h"
#include "broker/doors/http/console/console_door.h"
#include "broker/doors/http/servicebus/servicebus_door.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/descriptor.h"
#include "storage/base/status.h"

namespace wharf {

class ClientRelay {
 public:
  // Outlive it, and the node; a door that is null is not there. A null guard: nobody has to prove
  // anything. `is_insecure`: strangers are let in even so, because the configuration says it.
  struct World {
    amqp::AmqpDoor* amqp;
    ServiceBusDoor* http;
    ConsoleDoor* console;
    const access::Guard* guard;
    bool is_insecure;
  };
  enum class Door : std::uint8_t { kAmqp, kHttp, kConsole };

  explicit ClientRelay(const World& world) : world_(world) {}

  // To who leads. False: nobody does, or the client is gone; it is the door's.
  bool Bring(ClusterNode& node, Door door, Descriptor& connection, bool has_tls);
  // One that another node brings.
  Status Take(const RelayedClient& client, Descriptor connection);

 private:
  Status Enter(Door door, bool has_tls, Descriptor connection, std::string client);

  const World world_;
};

}  // namespace wharf
