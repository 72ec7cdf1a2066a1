// RuleVerdict: whether a rule takes a message, and why; what an operator asks who wonders where a
// message went.
//
// A plain value; asked for by doors, made by the room `topics`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/core/entities/truth.h"
#include "broker/core/messages/message.h"

namespace wharf {

// A property that a filter looks at.
struct PropertyEvidence {
  // "sys.Label" of a system property; else as the message spells it, or folded.
  std::string name{};
  // What the message has; none: it has no such property.
  std::optional<PropertyValue> actual{};
  // What a correlation filter wants.
  std::optional<PropertyValue> wanted{};
  bool is_equal = false;
};

struct RuleVerdict {
  // Its name.
  std::string rule{};
  // Nothing: the filter cannot be evaluated for the message, and `error` says why.
  std::optional<Truth> truth{};
  // The filter's; or of one that matches: why its action, or what it makes, is refused.
  Status error{};
  // Of a rule that matches and has an action: the message as its copy would be.
  std::optional<Message> copy{};
  // What was compared: each property that a correlation filter sets, or that an SQL filter names.
  std::vector<PropertyEvidence> evidence{};
};

}  // namespace wharf
