// SubscriptionWish: which subscription a JMS consumer of a topic means, by its attach (JMS-1 to
// JMS-6, JMS-9). Pure functions; used by BrokerLinks, where JMS is served.
#pragma once

#include <string>

#include "broker/core/entities/rule.h"
#include "broker/core/queue/queue.h"
#include "broker/doors/amqp/connection/link_node.h"
#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp {

struct SubscriptionWish {
  std::string topic{};
  // Without the path of its topic.
  std::string stored_name{};
  std::string path{};
  bool is_durable = false;
  bool is_shared = false;
  ReceiveMode mode = ReceiveMode::kPeekLock;
  // Of its selector.
  RuleFilter filter = TrueFilter();
};

// Whether the client says that it consumes from a topic...
bool WantsTopic(const Attach& attach);
// ...or from a queue, as only JMS has it said.
bool WantsQueue(const Attach& attach);
// Whether it wants copies that stay where they are.
bool WantsToBrowse(const Attach& attach);

// `container_id`: the client id. `unique`: the name of one that nobody will ask for by name.
Result<SubscriptionWish> SubscriptionOf(const LinkNode& node, const Attach& attach,
                                        const std::string& container_id, const std::string& unique);
// The stored name of the durable one that a link without a source is named after.
Result<std::string> UnsubscribedName(const Attach& attach, const std::string& container_id);

}  // namespace wharf::amqp
