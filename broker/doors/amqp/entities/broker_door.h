// BrokerDoor: where connections find the broker that there is now, and what links to entities do:
// each sends to the broker, or receives from it.
//
// Made by AmqpDoor, which says when there is a broker. Links live on the strands of their
// connections, and nobody of them waits for the shard. What is said of it as a whole, any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/doors/amqp/entities/jms/roster.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class BrokerDoor final : public EntityDoor {
 public:
  // With JMS, what its clients left is removed when there is a broker.
  explicit BrokerDoor(bool serves_jms = false);

  // Connections that attach their first link from now on find this one; there is no other.
  void Open(Requests& requests);
  // From now on connections find none; those that have one keep it.
  void Close();
  // Until no connection has one any more; false if that takes longer. Without patience: however
  // long it takes.
  bool WaitUntilNone(std::chrono::milliseconds patience);
  void WaitUntilNone();

  bool is_open() const override;
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override;

 private:
  // Shared with what goes on for itself, or was asked of the broker and is not answered, which may
  // be there when the door is not.
  struct State {
    mutable Mutex mutex;
    std::condition_variable_any changed;
    // Null: there is none.
    Requests* requests ABSL_GUARDED_BY(mutex) = nullptr;
    // How many have it.
    std::size_t users ABSL_GUARDED_BY(mutex) = 0;
  };
  class Ticket;
  class BrokerLinks;

  const bool serves_jms_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  const std::shared_ptr<Roster> roster_ = std::make_shared<Roster>();
};

}  // namespace wharf::amqp
