#include "broker/filter/assignment.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/filter/decimal_number.h"
#include "broker/filter/nanoseconds.h"
#include "broker/filter/property_name.h"

namespace wharf::sql {
namespace {

template <typename T>
constexpr bool kIsWhole =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char32_t>;

Status DoesNotFit(const PropertyReference& target) {
  return {ErrorCode::kRuleActionException,
          fmt::format("the value for '{:.64}' does not fit into the type of the property",
                      target.name)};
}

Status HasAnotherType(const PropertyReference& target, std::string_view type) {
  return {ErrorCode::kRuleActionException,
          fmt::format("the value for sys.{} is not {}", target.name, type)};
}

// The number as a `To`, or nothing if it does not fit. What C# does not convert by itself stays
// what it is: there are no floating numbers among whole ones, and none among decimals.
struct Conversion {
  using Converted = std::optional<PropertyValue>;

  template <typename To, typename From>
  Converted operator()(const To&, const From& value) const {
    if constexpr (kIsWhole<To> && kIsWhole<From>) {
      if (!std::in_range<To>(value)) return std::nullopt;
      return static_cast<To>(value);
    } else if constexpr (std::is_floating_point_v<To> &&
                         (kIsWhole<From> || std::is_floating_point_v<From>)) {
      const auto number = static_cast<To>(value);
      if (std::isinf(number) && !std::isinf(static_cast<double>(value))) return std::nullopt;
      return number;
    } else if constexpr (std::is_same_v<To, Decimal> && kIsWhole<From>) {
      using Widest = std::conditional_t<std::is_signed_v<From>, std::int64_t, std::uint64_t>;
      return Decimal{DecimalNumber(static_cast<Widest>(value)).ToString()};
    } else if constexpr (std::is_same_v<To, DateTimeOffset> && std::is_same_v<From, Instant>) {
      return DateTimeOffset{value.since_epoch};
    } else {
      return value;
    }
  }
};

// A number in a long encoding is a number like any other.
const PropertyValue& Plainly(const PropertyValue& value, std::optional<PropertyValue>& plain) {
  if (const auto* const encoded = std::get_if<EncodedValue>(&value))
    plain = PlainOf(encoded->bytes);
  return plain ? *plain : value;
}

Status AssignUser(PropertyMap& properties, const PropertyReference& target, PropertyValue value) {
  const auto found = std::find_if(properties.begin(), properties.end(), [&](const auto& property) {
    return SameName(property.first, target.name);
  });
  if (found == properties.end()) {
    properties.emplace_back(target.name, std::move(value));
    return {};
  }
  std::optional<PropertyValue> plain_before;
  std::optional<PropertyValue> plain_value;
  auto converted =
      std::visit(Conversion(), Plainly(found->second, plain_before), Plainly(value, plain_value));
  if (!converted) return DoesNotFit(target);
  found->second = *std::move(converted);
  return {};
}

void RemoveUser(PropertyMap& properties, const PropertyReference& target) {
  std::erase_if(properties,
                [&](const auto& property) { return SameName(property.first, target.name); });
}

// The field of a text, or null.
std::optional<std::string>* TextField(Message& message, SystemProperty property) {
  switch (property) {
    case SystemProperty::kContentType:
      return &message.content_type;
    case SystemProperty::kCorrelationId:
      return &message.correlation_id;
    case SystemProperty::kLabel:
      return &message.subject;
    case SystemProperty::kMessageId:
      return &message.message_id;
    case SystemProperty::kPartitionKey:
      return &message.partition_key;
    case SystemProperty::kReplyTo:
      return &message.reply_to;
    case SystemProperty::kReplyToSessionId:
      return &message.reply_to_session_id;
    case SystemProperty::kSessionId:
      return &message.session_id;
    case SystemProperty::kTo:
      return &message.to;
    case SystemProperty::kViaPartitionKey:
      return &message.via_partition_key;
    default:
      return nullptr;
  }
}

// In the broker's microseconds, cut, or nothing beyond their range.
std::optional<Duration> Microseconds(const Nanotime& time) {
  constexpr Nanoseconds kNanosecondsOfAMicrosecond = 1000;
  const Nanoseconds count = NanosecondsOf(time) / kNanosecondsOfAMicrosecond;
  if (count < Duration::min().count() || count > Duration::max().count()) return std::nullopt;
  return Duration(static_cast<std::int64_t>(count));
}

Status AssignTimeToLive(Message& message, const PropertyReference& target,
                        const PropertyValue& value) {
  const auto* const span = std::get_if<TimeSpan>(&value);
  if (span == nullptr) return HasAnotherType(target, "a time span");
  const auto length = Microseconds(span->length);
  if (!length || *length <= Duration(0)) return DoesNotFit(target);
  message.time_to_live = length;
  return {};
}

std::optional<Nanotime> SinceEpoch(const PropertyValue& value) {
  if (const auto* const instant = std::get_if<Instant>(&value)) return instant->since_epoch;
  if (const auto* const date = std::get_if<DateTimeOffset>(&value)) return date->since_epoch;
  return std::nullopt;
}

Status AssignScheduledTime(Message& message, const PropertyReference& target,
                           const PropertyValue& value) {
  const auto instant = SinceEpoch(value);
  if (!instant) return HasAnotherType(target, "an instant");
  const auto since_epoch = Microseconds(*instant);
  if (!since_epoch) return DoesNotFit(target);
  message.scheduled_enqueue_time = Timestamp(*since_epoch);
  return {};
}

Status AssignSystem(Message& message, SystemProperty property, const PropertyReference& target,
                    PropertyValue value) {
  if (std::holds_alternative<std::monostate>(value)) {
    Remove(message, target);
    return {};
  }
  if (auto* const field = TextField(message, property)) {
    auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr) return HasAnotherType(target, "a text");
    *field = std::move(*text);
    return {};
  }
  if (property == SystemProperty::kTimeToLive) return AssignTimeToLive(message, target, value);
  return AssignScheduledTime(message, target, value);
}

void RemoveSystem(Message& message, SystemProperty property) {
  if (auto* const field = TextField(message, property)) {
    field->reset();
  } else if (property == SystemProperty::kTimeToLive) {
    message.time_to_live.reset();
  } else {
    message.scheduled_enqueue_time.reset();
  }
}

}  // namespace

Status Assign(Message& message, const PropertyReference& target, PropertyValue value) {
  if (target.system) return AssignSystem(message, *target.system, target, std::move(value));
  return AssignUser(message.application_properties, target, std::move(value));
}

void Remove(Message& message, const PropertyReference& target) {
  if (target.system) return RemoveSystem(message, *target.system);
  RemoveUser(message.application_properties, target);
}

}  // namespace wharf::sql
