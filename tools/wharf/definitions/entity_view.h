// EntityView: an entity of some definitions, whatever its kind: its path, its properties and what
// belongs to it.
//
// It looks at the definitions, which outlive it. Used by what plans.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "tools/wharf/definitions/definitions.h"

namespace wharf::tool {

enum class DefinitionKind : std::uint8_t { kQueue, kTopic, kSubscription, kRule, kAccessRule };

// "queue", "access rule".
std::string_view NameOf(DefinitionKind kind);

struct EntityView {
  DefinitionKind kind;
  // "orders", "sales/Subscriptions/all".
  std::string path;
  // In the form by which paths are compared.
  std::string key;
  // Of a subscription: the key of its topic.
  std::string topic_key;
  const google::protobuf::Message* properties;
  // Null where the kind has none.
  const std::vector<v1::AccessRule>* access_rules;
  const std::vector<v1::Rule>* rules;

  // The key of where messages, or dead letters, are forwarded to; empty: nowhere.
  std::string forward_key() const;
  std::string dead_letter_forward_key() const;
};

// Queues, and behind them topics, each before its subscriptions.
std::vector<EntityView> EntitiesOf(const Definitions& definitions);

}  // namespace wharf::tool
