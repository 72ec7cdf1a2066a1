#include "broker/filter/arithmetic.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "broker/filter/nanoseconds.h"
#include "broker/filter/numbers.h"

namespace wharf::sql {
namespace {

constexpr Computed kDividedByZero = {Unknown(), ArithmeticError::kDivisionByZero};

// Wraps, as C# does unless told otherwise (SQL-8): unsigned numbers may overflow.
template <typename Whole>
Computed ComputeWhole(Operation operation, Whole left, Whole right) {
  using Unsigned = std::make_unsigned_t<Whole>;
  const auto a = static_cast<Unsigned>(left);
  const auto b = static_cast<Unsigned>(right);
  switch (operation) {
    case Operation::kAdd:
      return {static_cast<Whole>(a + b)};
    case Operation::kSubtract:
      return {static_cast<Whole>(a - b)};
    case Operation::kMultiply:
      return {static_cast<Whole>(a * b)};
    case Operation::kDivide:
      if (right == 0) return kDividedByZero;
      // The one quotient that overflows.
      if (std::is_signed_v<Whole> && b == static_cast<Unsigned>(-1)) {
        return {static_cast<Whole>(Unsigned{0} - a)};
      }
      return {static_cast<Whole>(left / right)};
    case Operation::kRemainder:
      if (right == 0) return kDividedByZero;
      if (std::is_signed_v<Whole> && b == static_cast<Unsigned>(-1)) return {Whole{0}};
      return {static_cast<Whole>(left % right)};
  }
  return {};
}

template <typename Floating>
Computed ComputeFloating(Operation operation, Floating left, Floating right) {
  switch (operation) {
    case Operation::kAdd:
      return {left + right};
    case Operation::kSubtract:
      return {left - right};
    case Operation::kMultiply:
      return {left * right};
    case Operation::kDivide:
      return {left / right};
    case Operation::kRemainder:
      return {std::fmod(left, right)};
  }
  return {};
}

std::optional<DecimalNumber> ComputeDecimal(Operation operation, const DecimalNumber& left,
                                            const DecimalNumber& right) {
  switch (operation) {
    case Operation::kAdd:
      return Add(left, right);
    case Operation::kSubtract:
      return Subtract(left, right);
    case Operation::kMultiply:
      return Multiply(left, right);
    case Operation::kDivide:
      return Divide(left, right);
    case Operation::kRemainder:
      return Remainder(left, right);
  }
  return std::nullopt;
}

Computed ComputeDecimals(Operation operation, const DecimalNumber& left,
                         const DecimalNumber& right) {
  const bool divides = operation == Operation::kDivide || operation == Operation::kRemainder;
  if (divides && right.is_zero()) return kDividedByZero;
  const auto result = ComputeDecimal(operation, left, right);
  if (!result) return {Unknown(), ArithmeticError::kDecimalTooLarge};
  return {*result};
}

// C# has no type for a uint64 and a negative number.
bool IsUInt64(const Value& value) {
  return NumberTypeOf(value) == NumberType::kUInt64 || NumberAs<std::int64_t>(value) >= 0;
}

Computed ComputeNumbers(Operation operation, NumberType type, const Value& left,
                        const Value& right) {
  switch (type) {
    case NumberType::kNone:
      return {};
    case NumberType::kInt32:
      return ComputeWhole(operation, NumberAs<std::int32_t>(left), NumberAs<std::int32_t>(right));
    case NumberType::kUInt32:
      return ComputeWhole(operation, NumberAs<std::uint32_t>(left), NumberAs<std::uint32_t>(right));
    case NumberType::kInt64:
      return ComputeWhole(operation, NumberAs<std::int64_t>(left), NumberAs<std::int64_t>(right));
    case NumberType::kUInt64:
      if (!IsUInt64(left) || !IsUInt64(right)) return {};
      return ComputeWhole(operation, NumberAs<std::uint64_t>(left), NumberAs<std::uint64_t>(right));
    case NumberType::kFloat:
      return ComputeFloating(operation, NumberAs<float>(left), NumberAs<float>(right));
    case NumberType::kDouble:
      return ComputeFloating(operation, NumberAs<double>(left), NumberAs<double>(right));
    case NumberType::kDecimal:
      return ComputeDecimals(operation, NumberAs<DecimalNumber>(left),
                             NumberAs<DecimalNumber>(right));
  }
  return {};
}

template <typename Time>
Computed OrTooLarge(const std::optional<Time>& time) {
  if (!time) return {Unknown(), ArithmeticError::kTimeTooLarge};
  return {*time};
}

// An instant less an instant is a span (SQL-10); a span moves an instant, and spans add up.
Computed ComputeTimes(Operation operation, const Value& left, const Value& right) {
  if (operation != Operation::kAdd && operation != Operation::kSubtract) return {};
  const bool adds = operation == Operation::kAdd;
  const auto* const instant = std::get_if<Instant>(&left);
  const auto* const span = std::get_if<TimeSpan>(&left);
  const auto* const other_instant = std::get_if<Instant>(&right);
  const auto* const other_span = std::get_if<TimeSpan>(&right);

  if (instant != nullptr && other_instant != nullptr && !adds) {
    return OrTooLarge(ToTimeSpan(NanosecondsOf(instant->since_epoch) -
                                 NanosecondsOf(other_instant->since_epoch)));
  }
  if (other_span == nullptr) return {};
  const Nanoseconds step =
      adds ? NanosecondsOf(other_span->length) : -NanosecondsOf(other_span->length);
  if (instant != nullptr) return OrTooLarge(ToInstant(NanosecondsOf(instant->since_epoch) + step));
  if (span != nullptr) return OrTooLarge(ToTimeSpan(NanosecondsOf(span->length) + step));
  return {};
}

}  // namespace

Computed Compute(Operation operation, const Value& left, const Value& right) {
  const NumberType type = Promote(NumberTypeOf(left), NumberTypeOf(right));
  if (type == NumberType::kNone) return ComputeTimes(operation, left, right);
  return ComputeNumbers(operation, type, left, right);
}

Computed Negate(const Value& operand) {
  switch (NumberTypeOf(operand)) {
    case NumberType::kInt32:
      return ComputeWhole(Operation::kSubtract, std::int32_t{0}, NumberAs<std::int32_t>(operand));
    case NumberType::kUInt32:
    case NumberType::kInt64:
      return ComputeWhole(Operation::kSubtract, std::int64_t{0}, NumberAs<std::int64_t>(operand));
    case NumberType::kFloat:
      return {-NumberAs<float>(operand)};
    case NumberType::kDouble:
      return {-NumberAs<double>(operand)};
    case NumberType::kDecimal:
      return {NumberAs<DecimalNumber>(operand).Negated()};
    case NumberType::kUInt64:  // C# has no minus for it.
    case NumberType::kNone:
      break;
  }
  if (const auto* const span = std::get_if<TimeSpan>(&operand)) {
    return OrTooLarge(ToTimeSpan(-NanosecondsOf(span->length)));
  }
  return {};
}

bool HasSign(const Value& value) {
  return NumberTypeOf(value) != NumberType::kNone || std::holds_alternative<TimeSpan>(value);
}

}  // namespace wharf::sql
