// RuleDescription: which messages of a topic a subscription gets, and how they are changed on their
// way.
//
// Plain values, as their owner gave them and as they are stored. The room `filter` compiles and
// evaluates them, `topics` knows which subscription has which.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "broker/core/messages/property_value.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// The rule of a subscription that was created without one of its own (RUL-1).
inline constexpr std::string_view kDefaultRuleName = "$Default";

// Everything matches, or nothing (RUL-16).
struct TrueFilter {
  friend bool operator==(const TrueFilter&, const TrueFilter&) = default;
};
struct FalseFilter {
  friend bool operator==(const FalseFilter&, const FalseFilter&) = default;
};

// An SQL filter or action: its text, and the values of its @parameters.
struct SqlText {
  std::string text{};
  PropertyMap parameters{};
  friend bool operator==(const SqlText&, const SqlText&) = default;
};

// A message matches if it has exactly the values that are set (COR-1..8).
struct CorrelationFilter {
  // Empty ones are not set (COR-8).
  std::optional<std::string> correlation_id{};
  std::optional<std::string> message_id{};
  std::optional<std::string> to{};
  std::optional<std::string> reply_to{};
  std::optional<std::string> subject{};
  std::optional<std::string> session_id{};
  std::optional<std::string> reply_to_session_id{};
  std::optional<std::string> content_type{};
  PropertyMap application_properties{};

  friend bool operator==(const CorrelationFilter&, const CorrelationFilter&) = default;
};

// The order of the alternatives is the kind on disk; new ones go to the end.
using RuleFilter = std::variant<TrueFilter, FalseFilter, SqlText, CorrelationFilter>;

struct RuleDescription {
  std::string name{};
  RuleFilter filter = TrueFilter();
  // What is changed in the copies of this rule (RUL-5); none: they are as they were sent.
  std::optional<SqlText> action{};
  // Set by the broker (RUL-15).
  Timestamp created_at{};

  friend bool operator==(const RuleDescription&, const RuleDescription&) = default;
};

}  // namespace wharf
