// CorrelationKey: the values that a filter wants, or that a message has, as bytes: they match where
// the bytes are equal.
//
// Numbers are equal by value, whatever their type (COR-6), and never equal to a text (COR-5). So a
// whole number is written the same way from all types; a fraction once for floating ones and once
// for decimals, which C# does not compare. What is equal to nothing, null or NaN, has no bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "broker/filter/correlation_filter.h"
#include "broker/filter/message_view.h"
#include "broker/filter/property_name.h"
#include "broker/filter/system_property.h"

namespace wharf {

// A system property that filters compare, and where a filter keeps the value that it wants (COR-1).
struct CorrelationProperty {
  SystemProperty property;
  std::optional<std::string> CorrelationFilter::*field;
};
std::span<const CorrelationProperty> CorrelationProperties();
// A value that a filter does not want is empty (COR-8).
inline bool IsSet(const std::optional<std::string>& field) { return field && !field->empty(); }

// Which properties a filter compares: a bit for each of CorrelationProperties(), and the names of
// application properties in order.
struct CorrelationFields {
  std::uint8_t system = 0;
  std::vector<PropertyName> user;

  friend bool operator==(const CorrelationFields&, const CorrelationFields&) = default;
  template <typename State>
  friend State AbslHashValue(State state, const CorrelationFields& fields) {
    return State::combine(std::move(state), fields.system, fields.user);
  }
};

CorrelationFields FieldsOf(const CorrelationFilter& filter);

// Both write to `key`, which they empty first. False if nothing can match: a value is equal to
// nothing, or the message has none (COR-8). `filter` was checked.
bool WriteKey(const CorrelationFilter& filter, std::string& key);
bool WriteKey(const CorrelationFields& fields, const MessageView& message, std::string& key);

}  // namespace wharf
