// RuleVerdict: whether a rule takes a message, and why; what an operator asks who wonders where a
// message went.
//
// A plain value; made on any thread, of nothing that it does not own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/message.h"
#include "broker/filter/message_view.h"
#include "broker/filter/truth.h"
#include "broker/topics/rule_set.h"
#include "storage/base/random.h"

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

// Adds to `like_steps` what the filter's LIKEs cost (evaluation.h). `random` is asked by newid()
// only.
RuleVerdict Judge(const Rule& rule, const Message& message, const BrokerProperties& broker,
                  Random& random, std::size_t& like_steps);

// Bytes that it holds in memory, about.
std::size_t SizeOf(const RuleVerdict& verdict);

}  // namespace wharf
