// LinkNode: what a link of a client leads to, by the address of its terminus, and which rights that
// takes (SEC-10). Pure functions; used by ServedConnection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/access/permit.h"
#include "broker/access/rights.h"
#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp {

enum class NodeKind : std::uint8_t {
  kEntity,              // A queue, topic, subscription, or a dead-letter queue.
  kTransferDeadLetter,  // Of an entity; always empty.
  kManagement,          // Of an entity.
  kClaims,              // `$cbs`.
  kCoordinator,         // Of transactions.
  // Of JMS only. Of the first and the last each thing that is done takes a right of its own.
  kRelay,             // Wherever each message says that it goes.
  kTemporary,         // A queue or a topic that is made for the link.
  kSubscriptionName,  // The durable subscription that the link is named after.
};

struct LinkNode {
  NodeKind kind = NodeKind::kEntity;
  // Of the entity, as the client wrote it, without scheme, host, outer '/' and what `kind` says.
  std::string path{};
  // What a claim must cover (access/resource.h).
  std::string resource{};
  // What is asked for on it, once it is there: the entity, also where the node is below it.
  std::string asked{};

  // What is sent goes by way of this entity, whose resource takes the same right; empty: straight
  // to `path` (TXN-5).
  std::string via{};
  std::string via_resource{};

  // Any one of these gives the link; none: any right, on anything.
  std::vector<access::Right> rights{};
};

// Never fails: what is no address of ours is that of an entity that does not exist. `own`: the role
// of our end.
LinkNode NodeOfAddress(std::string_view address, Role own);

// Of the terminus on our side; an error if it has no address, unless JMS is served, where that
// means something.
Result<LinkNode> NodeOf(const Attach& attach, Role own, bool serves_jms);

// With what a link to the node asks: who proved something for the node below an entity may ask for
// the entity, as far as its rule goes. What the rule allows is looked at for each request.
access::PermitPtr PermitOn(const LinkNode& node, const access::PermitPtr& permit);

}  // namespace wharf::amqp
