// NodeLink: what a link to an entity does, whichever way it goes.
//
// Made and kept by BrokerLinks (broker_door.cc), which passes on what is heard of it; on the strand
// of the connection.
#pragma once

#include <vector>

#include "broker/access/permit.h"
#include "broker/core/queue/lane.h"
#include "broker/doors/amqp/endpoint/events.h"
#include "broker/requests/session_use.h"

namespace wharf::amqp {

class NodeLink {
 public:
  virtual ~NodeLink() = default;

  // Of deliveries to us.
  virtual void OnDelivered(const Delivered& /*part*/) {}
  // Of deliveries from us.
  virtual void OnCredit(const CreditGiven& /*credit*/) {}
  virtual void OnDisposed(const std::vector<DeliveryId>& /*deliveries*/,
                          const Disposed& /*disposed*/) {}
  // No more comes together with what was heard: what the link kept for that it asks for now.
  virtual void OnHeard() {}
  // There may be room again.
  virtual void Send() {}
  // What was taken away to be written has left (OpenConnection).
  virtual void OnWritten() {}
  virtual void Renew(const access::PermitPtr& permit) = 0;
  // The session of this lane that it holds; null: none.
  virtual const AcceptedSession* SessionOf(LaneId /*lane*/) const { return nullptr; }
  // The client closes it, and End comes next. True: it answers that itself, when it can.
  virtual bool OnClosed() { return false; }
  // Takes nothing more from the broker: the link is over, or will be. May be called again.
  virtual void End() {}
  // The same where the connection will close: what it must still say keeps the connection open, by
  // its unanswered bytes.
  virtual void Close() { End(); }
};

}  // namespace wharf::amqp
