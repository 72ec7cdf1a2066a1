// Numbers: the type in which two numbers meet (C#'s binary numeric promotion, SQL-5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "broker/filter/value.h"

namespace wharf::sql {

enum class NumberType : std::uint8_t {
  kNone,  // Not a number, or two that have no type in common.
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat,
  kDouble,
  kDecimal,
};

constexpr NumberType NumberTypeOf(const Value& value) {
  constexpr NumberType kTypes[] = {NumberType::kNone,   NumberType::kNone,   NumberType::kInt32,
                                   NumberType::kUInt32, NumberType::kInt64,  NumberType::kUInt64,
                                   NumberType::kFloat,  NumberType::kDouble, NumberType::kDecimal};
  return value.index() < std::size(kTypes) ? kTypes[value.index()] : NumberType::kNone;
}

constexpr bool IsFloating(NumberType type) {
  return type == NumberType::kFloat || type == NumberType::kDouble;
}

// A uint64 and a signed number meet as uint64: a caller looks at the sign before it reckons.
constexpr NumberType Promote(NumberType a, NumberType b) {
  if (a == NumberType::kNone || b == NumberType::kNone) return NumberType::kNone;
  const NumberType larger = std::max(a, b);
  const NumberType smaller = std::min(a, b);
  if (larger == NumberType::kDecimal && IsFloating(smaller)) return NumberType::kNone;
  if (larger == NumberType::kUInt32 && smaller == NumberType::kInt32) return NumberType::kInt64;
  return larger;
}

// A number as `To`, which is its own type or one that it promotes to.
template <typename To>
To NumberAs(const Value& value) {
  return std::visit(
      [](const auto& number) -> To {
        using From = std::decay_t<decltype(number)>;
        constexpr bool kIsNumber = std::is_arithmetic_v<From> && !std::is_same_v<From, bool>;
        if constexpr (std::is_same_v<From, To>) return number;
        if constexpr (std::is_same_v<To, DecimalNumber>) {
          if constexpr (std::is_integral_v<From> && std::is_signed_v<From>) {
            return DecimalNumber(std::int64_t{number});
          } else if constexpr (kIsNumber && std::is_integral_v<From>) {
            return DecimalNumber(std::uint64_t{number});
          }
        } else if constexpr (kIsNumber) {
          return static_cast<To>(number);
        }
        return To();
      },
      value);
}

}  // namespace wharf::sql
