// EntityLinks: what links to entities do, which a connection is given: it knows of no queue.
//
// A connection asks EntityDoor for one EntityLinks of its own, gives it each link whose right is
// proven, what is heard of these links, and takes them away again when the right is gone. All calls
// come on the connection's strand, one at a time. Who answers later comes back by a Poster.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/access/permit.h"
#include "broker/doors/amqp/connection/byte_budget.h"
#include "broker/doors/amqp/connection/link_node.h"
#include "broker/doors/amqp/endpoint/connection.h"

namespace wharf::amqp {

// Runs something on the strand of a connection, and writes what that says; never, if the connection
// is gone by then. May be copied, and be called on any thread, whatever has become of the
// connection.
using Poster = std::function<void(std::function<void()>)>;

// What links see of the connection that they are on. Outlives its EntityLinks; on its strand only.
class OpenConnection {
 public:
  virtual ~OpenConnection() = default;

  virtual Connection& endpoint() = 0;
  virtual ByteBudget& partial_bytes() = 0;
  // While it is full nothing is read: it must become less by itself.
  virtual ByteBudget& unanswered_bytes() = 0;
  // Where the client comes from (Caller::peer).
  virtual const std::string& peer() const = 0;
  virtual const Poster& poster() const = 0;
};

class EntityLinks {
 public:
  // A link that may be, by this permit; null where nobody has to prove anything.
  struct Granted {
    LinkId link;
    SessionId session;
    const LinkNode& node;
    const Attach& attach;
    access::PermitPtr permit;
  };

  // The connection is gone, and its links with it.
  virtual ~EntityLinks() = default;

  // Is answered by Link::SendAttach or Link::Refuse, now or later.
  virtual void OnAttached(const Granted& granted) = 0;
  // The right holds on, by another permit.
  virtual void OnRenewed(LinkId link, const access::PermitPtr& permit) = 0;
  // CreditGiven, SenderTold and Delivered of its links; Disposed and MayWrite, whosever they are.
  virtual void OnEvent(Event& event) = 0;
  // The link is over, whoever ended it; once for each that was attached.
  virtual void OnDetached(LinkId link) = 0;
};

class EntityDoor {
 public:
  virtual ~EntityDoor() = default;
  // For one connection, which outlives it.
  virtual std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) = 0;
};

}  // namespace wharf::amqp
