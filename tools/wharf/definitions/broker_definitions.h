// BrokerDefinitions: what a broker has, read page by page.
//
// Not at one instant: what others change meanwhile is there as it was before or after. What is
// deleted meanwhile is left out. Used on the main thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/base/status.h"
#include "tools/client/client.h"
#include "tools/wharf/definitions/definitions.h"

namespace wharf::tool {

struct BrokerDefinitions {
  Definitions definitions;
  // Of what is lost with an entity, by its path (FoldPath): all its messages, dead letters among
  // them; those of a topic are those of its subscriptions, too.
  std::map<std::string, std::int64_t> messages;
};

Result<BrokerDefinitions> ReadBroker(client::Client& client);

// The same of one entity as it is now; `path` is that of a queue, a topic or a subscription.
Result<std::int64_t> MessagesOfQueue(client::Client& client, const std::string& path);
Result<std::int64_t> MessagesOfTopic(client::Client& client, const std::string& path);
Result<std::int64_t> MessagesOfSubscription(client::Client& client,
                                            const client::SubscriptionId& id);

}  // namespace wharf::tool
