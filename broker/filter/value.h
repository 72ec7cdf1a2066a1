// Value: what an expression is worth while it is evaluated.
//
// It looks into the message, the program or the texts of its evaluation, and owns nothing, so that
// it is copied like a number. Small integers and characters are ints already, as in C# (SQL-5).
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "broker/core/entities/truth.h"
#include "broker/core/messages/property_value.h"
#include "broker/filter/decimal_number.h"
#include "storage/base/time.h"

namespace wharf::sql {

// Null, and what has no value for another reason.
struct Unknown {};
struct UriText {
  std::string_view text;
};

// A date with an offset is the instant that it means.
using Value =
    std::variant<Unknown, bool, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float,
                 double, DecimalNumber, std::string_view, Uuid, Instant, TimeSpan, UriText>;

inline bool IsUnknown(const Value& value) { return std::holds_alternative<Unknown>(value); }

// A decimal whose text is none has no value.
Value ValueOf(const PropertyValue& property);

// Predicates share the stack of values: true, false or unknown.
inline Value ValueOf(Truth truth) {
  if (truth == Truth::kUnknown) return Unknown();
  return truth == Truth::kTrue;
}
inline Truth TruthIn(const Value& value) {
  const bool* const holds = std::get_if<bool>(&value);
  return holds == nullptr ? Truth::kUnknown : TruthOf(*holds);
}

// A property with the type of the value.
PropertyValue PropertyOf(const Value& value);

Instant InstantOf(Timestamp time);
TimeSpan TimeSpanOf(Duration span);

}  // namespace wharf::sql
