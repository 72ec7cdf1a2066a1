// The record of a rule in the table `rules`.
//
//   version (1) · name · created at · kind of the filter (1) · flags (1) · the filter's fields ·
//   [action: text · parameters]
//
// Fields of an SQL filter: text · parameters; of a correlation filter: presence bits (1) · the
// system properties whose bit is set, in the order of CorrelationFilter · application properties.
#pragma once

#include <string>
#include <string_view>

#include "broker/core/entities/rule.h"

namespace wharf {

std::string EncodeRule(const RuleDescription& rule);
Result<RuleDescription> DecodeRule(std::string_view record);

}  // namespace wharf
