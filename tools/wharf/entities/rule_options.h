// RuleOptions: the filter and the action of a rule as options of the command line.
//
// Used by `wharf rule` and `wharf subscription`, on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "storage/base/status.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

// What the command line gave of a rule.
struct GivenRule {
  bool is_true = false;
  bool is_false = false;
  // Also an empty text, which the broker refuses.
  std::optional<std::string> sql;
  std::vector<std::string> correlation;
  std::optional<std::string> action;
  google::protobuf::Map<std::string, v1::PropertyValue> parameters{};
  google::protobuf::Map<std::string, v1::PropertyValue> action_parameters{};

  bool has_filter() const { return is_true || is_false || sql || !correlation.empty(); }
};

void AddRuleOptions(CLI::App& command, GivenRule& given);
// Without a filter everything matches. The name is left to the caller.
v1::Rule RuleOf(const GivenRule& given);

// "subject=x,color=red,user.to=me,count:int32=5". A name is that of a property of the message, with
// "user." before it, or if there is no such one, that of an application property. What has no
// equals sign belongs to the value before it.
Result<v1::CorrelationFilter> ParseCorrelation(const std::vector<std::string>& texts);

}  // namespace wharf::tool
