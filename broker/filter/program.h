// Program: an expression, or a predicate, made ready to be evaluated any number of times.
//
// Instructions for a stack of values, operands before what is done with them. That is the order in
// which the parser finds them, so that neither parsing nor evaluation ever recurses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "broker/core/messages/property_value.h"
#include "broker/filter/property_name.h"

namespace wharf::sql {

enum class Op : std::uint8_t {
  // Push one value.
  kConstant,        // `index`: of constants
  kUserProperty,    // `index`: of names
  kSystemProperty,  // `index`: the SystemProperty
  kNewId,
  kUserIsNull,  // Index as above, also of the following.
  kSystemIsNull,
  kUserExists,
  kSystemExists,
  // Pop one value and push one.
  kNamedProperty,  // property(name)
  kPlus,
  kMinus,
  kNot,
  // Pop two values and push one.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kLike,
  kAnd,
  kOr,
  // Pops three values and pushes one.
  kLikeEscape,
  // `x IN (a, b)`: x, begin, a, element, b, element, end. Below the top is x, on it whether x was
  // found among the elements so far.
  kInBegin,
  kInElement,
  kInEnd,
  // The top of the stack stays; `index`: the instruction behind the AND or OR that it decides.
  kSkipIfFalse,
  kSkipIfTrue,
};

struct Instruction {
  Op op;
  std::uint16_t index = 0;
};

// Values on the stack at once. Only what is nested to the right needs many; deeper is refused.
inline constexpr std::size_t kStackMax = 64;

struct Program {
  std::vector<Instruction> code;
  std::vector<PropertyValue> constants;
  std::vector<PropertyName> names;
};

}  // namespace wharf::sql
