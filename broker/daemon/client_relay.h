// ClientRelay: clients of AMQP who came to a node of a cluster that does not lead, on their way to
// the door of the one that does; the bytes travel as they are (replication/peers/relay).
//
// Made by the ClusterDaemon; where clients come in it is asked on the threads of the listeners, and
// for those that other nodes bring on the strand of the peers.
#pragma once

#include "broker/access/guard.h"
#include "broker/doors/amqp/entities/amqp_door.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/descriptor.h"
#include "storage/base/status.h"

namespace wharf {

class ClientRelay {
 public:
  // Outlive it, and the node. A null guard: nobody has to prove anything. `is_insecure`: strangers
  // are let in even so, because the configuration says it.
  struct World {
    amqp::AmqpDoor& door;
    const access::Guard* guard;
    bool is_insecure;
  };

  explicit ClientRelay(const World& world) : world_(world) {}

  // To who leads. False: nobody does, or it is gone; the client is the door's.
  bool Bring(ClusterNode& node, Descriptor& connection, bool has_tls);
  // One that another node brings.
  Status Take(const RelayedClient& client, Descriptor connection);

 private:
  const World world_;
};

}  // namespace wharf
