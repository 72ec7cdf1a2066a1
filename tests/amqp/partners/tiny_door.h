// TinyDoor: TinyLinks behind the connections of the door, which decide who may have them.
#pragma once

#include <list>
#include <memory>

#include "broker/doors/amqp/connection/entity_links.h"
#include "tests/amqp/partners/tiny_links.h"

namespace wharf::amqp {

// For a server of one thread: its connections share the queues.
class TinyDoor final : public EntityDoor {
 public:
  bool is_open() const override { return true; }
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override;

 private:
  class Links;

  // What was sent on one connection may be for another.
  void WakeAll();

  TinyQueues queues_;
  std::list<Links*> all_;
};

}  // namespace wharf::amqp
