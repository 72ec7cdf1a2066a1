// Comparison of values, three-valued (SQL-5, SQL-6, SQL-9..11, SQL-14).
#pragma once

#include <cstdint>

#include "broker/core/entities/truth.h"
#include "broker/filter/value.h"

namespace wharf::sql {

enum class Relation : std::uint8_t {
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

// Unknown if a value is, or if the types cannot be compared. Whole numbers compare by their value,
// whatever their types.
Truth Compare(Relation relation, const Value& left, const Value& right);

}  // namespace wharf::sql
