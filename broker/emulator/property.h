// Property: what a Config.json can say of a queue, a topic or a subscription beside its name.
//
// One table says of each what it is called, who has it and where it goes. Constant; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/core/entities/queue_description.h"
#include "broker/emulator/json_node.h"
#include "storage/base/status.h"

namespace wharf::emulator {

struct Property {
  template <typename T>
  using Field = T QueueDescription::*;

  std::string_view name;
  bool is_of_queues;
  bool is_of_topics;
  bool is_of_subscriptions;
  // By an entity that is made it cannot be changed (EPR-31).
  bool is_fixed;
  std::variant<Field<bool>, Field<std::int32_t>, Field<std::int64_t>, Field<Duration>,
               Field<std::optional<std::string>>, Field<EntityStatus>>
      field;

  bool is_of(EntityKind kind) const;
  // What is said in `from` is said in `to`, too.
  void Copy(const QueueDescription& from, QueueDescription& to) const;
  bool IsSame(const QueueDescription& one, const QueueDescription& other) const;
};

// Those that entities of this kind have.
std::vector<std::string> PropertyNames(EntityKind kind);
// Null: they have none of this name.
const Property* FindProperty(EntityKind kind, std::string_view name);

// What the value means; or, behind its place, what would be allowed: "takes true or false, not 7".
Status ReadProperty(const Property& property, const JsonNode& value, QueueDescription& description);

}  // namespace wharf::emulator
