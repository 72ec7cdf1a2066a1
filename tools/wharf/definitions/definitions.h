// Definitions: the entities of a broker as values: queues, topics, subscriptions, rules, and who
// may do what with them.
//
// A file holds them (definitions_reader.h, definitions_writer.h), a broker has them
// (broker_definitions.h), and a plan leads from the one to the other (plan.h). Both are in the form
// in which the broker answers: every property is said, but for those that are "never" or "none".
// What a broker has holds etags, too. Plain values.
#pragma once

#include <vector>

#include "wharf/v1/management.pb.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

struct QueueDefinition {
  v1::QueueProperties properties;
  // Without keys.
  std::vector<v1::AccessRule> access_rules;
};

struct SubscriptionDefinition {
  v1::SubscriptionProperties properties;
  std::vector<v1::Rule> rules;
};

struct TopicDefinition {
  v1::TopicProperties properties;
  std::vector<v1::AccessRule> access_rules;
  std::vector<SubscriptionDefinition> subscriptions;
};

struct Definitions {
  // Of the namespace; without the rule that the broker makes itself.
  std::vector<v1::AccessRule> access_rules;
  std::vector<QueueDefinition> queues;
  std::vector<TopicDefinition> topics;
};

}  // namespace wharf::tool
