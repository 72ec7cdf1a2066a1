// Judges a rule and a message: whether the rule takes it, and why.
//
// On any thread, of nothing but what is given.
#pragma once

#include <cstddef>

#include "broker/core/entities/rule_verdict.h"
#include "broker/filter/message_view.h"
#include "broker/topics/rule_set.h"
#include "storage/base/random.h"

namespace wharf {

// Adds to `like_steps` what the filter's LIKEs cost (evaluation.h). `random` is asked by newid()
// only.
RuleVerdict Judge(const Rule& rule, const Message& message, const BrokerProperties& broker,
                  Random& random, std::size_t& like_steps);

// Bytes that it holds in memory, about.
std::size_t SizeOf(const RuleVerdict& verdict);

}  // namespace wharf
