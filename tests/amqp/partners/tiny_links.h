// TinyLinks: links of one connection to queues in memory, made when they are named. No broker of
// ours is in it; it shows that the endpoint, and the connections on it, are understood.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "broker/doors/amqp/endpoint/connection.h"

namespace wharf::amqp {

// By address; what was sent to it and nobody has taken.
using TinyQueues = std::map<std::string, std::deque<std::string>>;

// Accepts what comes; the outcomes released and modified bring a message back.
class TinyLinks {
 public:
  TinyLinks(TinyQueues& queues, Connection& endpoint) : queues_(queues), endpoint_(endpoint) {}

  // A link that the peer attaches to this queue, which is answered.
  void Attach(LinkId link, const Attach& attach, const std::string& address);
  // CreditGiven, Delivered and Disposed; others are nothing to it.
  void On(const Event& event);
  void Forget(LinkId link) { receivers_.erase(link); }
  // Sends what may be sent.
  void Send();

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

  void OnDelivered(const Delivered& part);
  void OnDisposed(const Disposed& disposed);
  void Send(Link& link, Receiver& receiver);

  TinyQueues& queues_;
  Connection& endpoint_;
  std::map<LinkId, Receiver> receivers_;
  std::map<LinkId, Sender> senders_;
  // What was sent and is not settled.
  std::map<std::pair<LinkId, DeliveryId>, std::string> unsettled_;
};

}  // namespace wharf::amqp
