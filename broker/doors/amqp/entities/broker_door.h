// BrokerDoor: what links to entities do: each sends to the broker, or receives from it.
//
// Made by whoever serves AMQP; its links live on the strands of their connections, and nobody of
// them waits for the shard.
#pragma once

#include <memory>

#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/requests/requests.h"

namespace wharf::amqp {

class BrokerDoor final : public EntityDoor {
 public:
  // Outlives all connections.
  explicit BrokerDoor(Requests& requests) : requests_(requests) {}

  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override;

 private:
  Requests& requests_;
};

}  // namespace wharf::amqp
