// ModelRule: a rule of a subscription as the broker is told it, and what it means, said once more
// in C++.
//
// Each kind of filter and action has one; used by WorldModel and by WorldRun, which draws from
// them.
#pragma once

#include <vector>

#include "broker/core/entities/rule.h"
#include "tests/engine/model/model.h"

namespace wharf {

enum class Verdict { kTakes, kLeaves, kFails };

struct ModelRule {
  RuleDescription told;
  Verdict (*judge)(const ModelMessage& message);
  // Null: it has no action.
  void (*change)(ModelMessage& copy) = nullptr;
};

// In the order in which the copies of a message are made: those without an action first, each by
// their names.
const std::vector<ModelRule>& ModelRules();
// The one that a subscription has at first (RUL-1).
inline constexpr std::size_t kDefaultRule = 0;

}  // namespace wharf
