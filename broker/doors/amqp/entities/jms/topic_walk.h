// TopicWalk: looks through all topics, a page at a time: for the subscription of JMS that a client
// names without its topic, and for what was left over.
//
// The door looks for itself; what it finds is the client's by the right to it. Functions; `then` is
// called on the broker's thread, once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/requests/requests.h"

namespace wharf::amqp {

// Each page of the names of queues or topics whose folded name is behind `after`. `seen` says
// whether to go on; the end, or an error, is told to `then`.
using SeePage = std::function<bool(const QueuePage& page)>;
using WalkEnded = std::function<void(const Status& ended)>;
void WalkEntities(Requests& requests, EntityKind kind, std::string after, SeePage seen,
                  WalkEnded then);
// The same for the subscriptions of one topic.
void WalkSubscriptions(Requests& requests, std::string topic, SeePage seen, WalkEnded then);

// The path of the subscription of this name, of whichever topic, as it is spelled there; empty:
// there is none.
void FindSubscription(Requests& requests, std::string name,
                      std::function<void(const Result<std::string>& path)> then);
// The same for a link, which counts for a question while it is under way: a client that attaches
// and detaches could else have any number of them. `then` is called on the strand, if the
// connection is still there; `kept` lives until it is answered.
void FindFor(const LinkWorld& world, std::string name, std::shared_ptr<void> kept,
             std::function<void(const Result<std::string>& path)> then);

}  // namespace wharf::amqp
