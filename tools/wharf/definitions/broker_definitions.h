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

// What is lost with an entity; with a topic, that of its subscriptions, too.
struct Holding {
  // All of them, dead letters among them.
  std::int64_t messages = 0;
  // What is stored of them and of the states of sessions. Of a subscription it is not told.
  std::int64_t bytes = 0;

  bool is_empty() const { return messages == 0 && bytes == 0; }
  // Without a message, bytes are those of states.
  bool has_only_states() const { return messages == 0 && bytes > 0; }
};

// "3 messages", "session states of 12 bytes".
std::string TextOf(const Holding& holding);

// How many there may be; 0: a broker of an older version does not tell.
struct EntityBounds {
  std::int64_t top_level = 0;
  std::int64_t subscriptions_of_a_topic = 0;
};

struct BrokerDefinitions {
  Definitions definitions;
  EntityBounds bounds{};
  // Of each entity, by its path (FoldPath).
  std::map<std::string, Holding> holdings;
};

Result<BrokerDefinitions> ReadBroker(client::Client& client);

// Of one entity as it is now; `path` is that of a queue, a topic or a subscription.
Result<Holding> HoldingOfQueue(client::Client& client, const std::string& path);
Result<Holding> HoldingOfTopic(client::Client& client, const std::string& path);
Result<Holding> HoldingOfSubscription(client::Client& client, const client::SubscriptionId& id);

}  // namespace wharf::tool
