// TinyBroker: what a partner of another make talks to: one endpoint, with TinyLinks, and whoever
// comes is let in.
#pragma once

#include "broker/doors/amqp/endpoint/connection.h"
#include "tests/amqp/partners/tiny_links.h"

namespace wharf::amqp {

class TinyBroker {
 public:
  static EndpointOptions Options();
  TinyBroker(TinyQueues& queues, EndpointOptions options, Connection::Instant now);

  Connection& endpoint() { return endpoint_; }
  // Handles what is there to hear, and sends what may be sent.
  void Work();

 private:
  void On(Event& event);

  Connection endpoint_;
  TinyLinks links_;
};

}  // namespace wharf::amqp
