#include "broker/filter/comparison.h"

#include <compare>
#include <optional>
#include <utility>

#include "broker/filter/nanoseconds.h"
#include "broker/filter/numbers.h"

namespace wharf::sql {
namespace {

// Nothing if the values cannot be compared.
using Order = std::optional<std::partial_ordering>;

bool IsNegative(const Value& value) {
  const NumberType type = NumberTypeOf(value);
  return (type == NumberType::kInt32 || type == NumberType::kInt64) &&
         NumberAs<std::int64_t>(value) < 0;
}

template <typename As>
std::partial_ordering OrderAs(const Value& left, const Value& right) {
  return NumberAs<As>(left) <=> NumberAs<As>(right);
}

// C# has no type for a uint64 and a negative number; their values leave no doubt.
std::partial_ordering OrderOfUInt64(const Value& left, const Value& right) {
  if (IsNegative(left)) return std::partial_ordering::less;
  if (IsNegative(right)) return std::partial_ordering::greater;
  return OrderAs<std::uint64_t>(left, right);
}

Order OrderOfNumbers(const Value& left, const Value& right) {
  switch (Promote(NumberTypeOf(left), NumberTypeOf(right))) {
    case NumberType::kNone:
      return std::nullopt;
    case NumberType::kInt32:
    case NumberType::kUInt32:
    case NumberType::kInt64:
      return OrderAs<std::int64_t>(left, right);
    case NumberType::kUInt64:
      return OrderOfUInt64(left, right);
    case NumberType::kFloat:
      return OrderAs<float>(left, right);
    case NumberType::kDouble:
      return OrderAs<double>(left, right);
    case NumberType::kDecimal:
      return OrderAs<DecimalNumber>(left, right);
  }
  return std::nullopt;
}

std::partial_ordering OrderOf(const Instant& a, const Instant& b) {
  return NanosecondsOf(a.since_epoch) <=> NanosecondsOf(b.since_epoch);
}
std::partial_ordering OrderOf(const TimeSpan& a, const TimeSpan& b) {
  return NanosecondsOf(a.length) <=> NanosecondsOf(b.length);
}

// Of values that have no order, only whether they are the same (SQL-11).
std::partial_ordering OrderOfSame(bool are_equal) {
  return are_equal ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}
std::partial_ordering OrderOf(bool a, bool b) { return OrderOfSame(a == b); }
std::partial_ordering OrderOf(const Uuid& a, const Uuid& b) { return OrderOfSame(a == b); }
std::partial_ordering OrderOf(const UriText& a, const UriText& b) {
  return OrderOfSame(a.text == b.text);
}

template <typename Type>
Order OrderAmong(const Value& left, const Value& right) {
  return OrderOf(*std::get_if<Type>(&left), *std::get_if<Type>(&right));
}

Order OrderOfOthers(const Value& left, const Value& right) {
  if (left.index() != right.index()) return std::nullopt;
  if (std::holds_alternative<Instant>(left)) return OrderAmong<Instant>(left, right);
  if (std::holds_alternative<TimeSpan>(left)) return OrderAmong<TimeSpan>(left, right);
  if (std::holds_alternative<bool>(left)) return OrderAmong<bool>(left, right);
  if (std::holds_alternative<Uuid>(left)) return OrderAmong<Uuid>(left, right);
  if (std::holds_alternative<UriText>(left)) return OrderAmong<UriText>(left, right);
  return std::nullopt;
}

bool HasOrder(const Value& value) {
  return !std::holds_alternative<bool>(value) && !std::holds_alternative<Uuid>(value) &&
         !std::holds_alternative<UriText>(value);
}

bool Holds(Relation relation, std::partial_ordering order) {
  switch (relation) {
    case Relation::kEqual:
      return order == 0;
    case Relation::kUnequal:
      return order != 0;
    case Relation::kLess:
      return order < 0;
    case Relation::kLessOrEqual:
      return order <= 0;
    case Relation::kGreater:
      return order > 0;
    case Relation::kGreaterOrEqual:
      return order >= 0;
  }
  return false;
}

Truth CompareTexts(Relation relation, std::string_view left, std::string_view right) {
  // Most are unequal already in their lengths.
  if (relation == Relation::kEqual) return TruthOf(left == right);
  if (relation == Relation::kUnequal) return TruthOf(left != right);
  return TruthOf(Holds(relation, left <=> right));
}

}  // namespace

Truth Compare(Relation relation, const Value& left, const Value& right) {
  const auto* const left_text = std::get_if<std::string_view>(&left);
  const auto* const right_text = std::get_if<std::string_view>(&right);
  if (left_text != nullptr && right_text != nullptr) {
    return CompareTexts(relation, *left_text, *right_text);
  }

  Order order = OrderOfNumbers(left, right);
  if (!order) order = OrderOfOthers(left, right);
  if (!order) return Truth::kUnknown;
  const bool asks_for_order = relation != Relation::kEqual && relation != Relation::kUnequal;
  if (asks_for_order && !HasOrder(left)) return Truth::kUnknown;
  return TruthOf(Holds(relation, *order));
}

}  // namespace wharf::sql
