// EntityLinks: what links to entities do, which a connection is given: it knows of no queue.
//
// A connection asks EntityDoor for one EntityLinks of its own, gives it each link whose right is
// proven, what is heard of these links, and takes them away again when the right is gone. All calls
// come on the connection's strand, one at a time. Who answers later comes back by a Poster.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/access/permit.h"
#include "broker/access/rights.h"
#include "broker/doors/amqp/connection/byte_budget.h"
#include "broker/doors/amqp/connection/link_node.h"
#include "broker/doors/amqp/endpoint/connection.h"
#include "broker/requests/caller.h"

namespace wharf::amqp {

// Runs something on the strand of a connection, and writes what that says; never, if the connection
// is gone by then. May be copied, and be called on any thread, whatever has become of the
// connection.
using Poster = std::function<void(std::function<void()>)>;

// An error that a client is told, and of what; views, for as long as it is noted.
struct ToldError {
  std::string_view what;
  const Error& error;
  // As the client wrote it.
  std::string_view entity;
  const TrackingId& tracking_id;
};

// What links see of the connection that they are on. Outlives its EntityLinks; on its strand only.
class OpenConnection {
 public:
  virtual ~OpenConnection() = default;

  virtual Connection& endpoint() = 0;
  virtual ByteBudget& partial_bytes() = 0;
  // What was asked of the broker and is not answered, by who asked it: it takes when it asks and
  // gives back when the answer comes, whatever has become of its link. While it is full nothing is
  // read; while anything is in it the connection is not closed at once.
  virtual ByteBudget& unanswered_bytes() = 0;
  // Where the client comes from (Caller::peer).
  virtual const std::string& peer() const = 0;
  virtual const Poster& poster() const = 0;
  // When what happens now happens.
  virtual Connection::Instant now() const = 0;
  // What the client calls itself; the JMS client id.
  virtual const std::string& container_id() const = 0;
  // What gives one of these rights on the resource now (Claims): for what a link does beside that
  // which it was granted for.
  virtual Result<access::PermitPtr> Prove(const std::vector<access::Right>& rights,
                                          const std::string& resource) = 0;
  // How often output was taken away to be written. What an endpoint has written so far and is not
  // taken goes with the next one.
  virtual std::uint64_t outputs_taken() const = 0;
  // Something is done for the link of this name by another one (LNK-6).
  virtual void NoteUseOf(std::string_view link_name) = 0;

  // A link to an entity is answered: it is there, or the client is told why not. Counted, and a
  // refusal is a line of the log.
  virtual void NoteAccepted(LinkId link) = 0;
  virtual void NoteRefused(const ToldError& told) = 0;
  // A line of the log, by which the tracking id is found.
  virtual void NoteError(const ToldError& told) = 0;
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
  // All events of what was read at one go have been told: what links kept together goes to the
  // broker.
  virtual void OnHeard() = 0;
  // All that was taken away to be written has left.
  virtual void OnWritten() = 0;
  // The link is over, whoever ended it; once for each that was attached. `is_closed`: the client
  // does not mean to come back to it. True: who is told so will answer the client's detach.
  virtual bool OnDetached(LinkId link, bool is_closed) = 0;
  // The connection will close when what was asked of the broker is answered: nothing more is taken
  // from queues, and what is not written goes back.
  virtual void OnClosing() = 0;
};

class EntityDoor {
 public:
  virtual ~EntityDoor() = default;
  // Whether there is a broker behind it. Any thread; may be otherwise a moment later.
  virtual bool is_open() const = 0;
  // For one connection, which outlives it. Null: there is no broker, and the connection closes.
  virtual std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) = 0;
};

}  // namespace wharf::amqp
