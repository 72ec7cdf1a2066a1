// Arithmetic on values (SQL-5, SQL-7..10, SQL-13).
#pragma once

#include <cstdint>
#include <optional>

#include "broker/filter/value.h"

namespace wharf::sql {

enum class ArithmeticError : std::uint8_t {
  kNone,
  kDivisionByZero,   // Of whole numbers and decimals; floating ones follow IEEE.
  kDecimalTooLarge,  //
  kTimeTooLarge,
};

struct Computed {
  Value value;
  ArithmeticError error = ArithmeticError::kNone;
};

enum class Operation : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRemainder };

// Unknown if an operand is, or if there is no such operation on their types. Does not know texts: a
// caller that joins two has to keep the result.
Computed Compute(Operation operation, const Value& left, const Value& right);

// Minus; the operand of a plus need only be something that has a sign.
Computed Negate(const Value& operand);
bool HasSign(const Value& value);

}  // namespace wharf::sql
