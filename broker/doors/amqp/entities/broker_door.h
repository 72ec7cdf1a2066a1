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
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class BrokerDoor final : public EntityDoor {
 public:
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
  class Ticket;
  class BrokerLinks;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  // Null: there is none.
  Requests* requests_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::size_t served_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf::amqp
