// TinyBroker: what a partner of another make talks to: queues in memory, made when they are named,
// over one endpoint each. No broker of ours is in it; it shows that the endpoint is understood.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "broker/doors/amqp/endpoint/connection.h"

namespace wharf::amqp {

// By address; what was sent to it and nobody has taken.
using TinyQueues = std::map<std::string, std::deque<std::string>>;

// Of one connection. Accepts what comes; the outcomes released and modified bring a message back.
class TinyBroker {
 public:
  static EndpointOptions Options();
  TinyBroker(TinyQueues& queues, EndpointOptions options, Connection::Instant now);

  Connection& endpoint() { return endpoint_; }
  // Handles what is there to hear, and sends what may be sent.
  void Work();

 private:
  struct Receiver {
    std::string address;
    // How much of the first message has left.
    std::size_t sent = 0;
    std::uint64_t next_tag = 0;
    bool is_draining = false;
    bool sends_settled = false;
  };
  struct Sender {
    std::string address;
    std::string message;
  };

  void On(Event& event);
  void OnAttached(const Attached& attached);
  void OnDelivered(const Delivered& part);
  void OnDisposed(const Disposed& disposed);
  void Send(Link& link, Receiver& receiver);

  TinyQueues& queues_;
  Connection endpoint_;
  std::map<LinkId, Receiver> receivers_;
  std::map<LinkId, Sender> senders_;
  // What was sent and is not settled.
  std::map<std::pair<LinkId, DeliveryId>, std::string> unsettled_;
};

}  // namespace wharf::amqp
