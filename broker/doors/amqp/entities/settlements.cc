#include "broker/doors/amqp/entities/settlements.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "broker/core/messages/message.h"
#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {
namespace {

constexpr std::string_view kDeadLetterCondition = "com.microsoft:dead-letter";
constexpr std::string_view kDeliveryTime = "x-opt-delivery-time";

// Out of the properties, where it is said; null if not.
PropertyValue Take(PropertyMap& properties, std::string_view name) {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [name](const auto& one) { return one.first == name; });
  if (found == properties.end()) return {};
  PropertyValue value = std::move(found->second);
  properties.erase(found);
  return value;
}

std::optional<std::string> TakeText(PropertyMap& properties, std::string_view name) {
  const PropertyValue value = Take(properties, name);
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

// Our own: until when an abandoned message rests, as a time or in milliseconds.
std::optional<Timestamp> TakeDelay(PropertyMap& properties) {
  const PropertyValue value = Take(properties, kDeliveryTime);
  if (const auto* const ms = std::get_if<std::int64_t>(&value)) {
    return Timestamp(std::chrono::milliseconds(*ms));
  }
  const auto* const time = std::get_if<Instant>(&value);
  if (time == nullptr) return std::nullopt;
  return Timestamp(std::chrono::seconds(time->since_epoch.seconds) +
                   std::chrono::microseconds(time->since_epoch.nanos / 1000));
}

Result<std::optional<Settlement>> OfModified(const Modified& modified) {
  Settlement settlement{.verb = modified.undeliverable_here.value_or(false) ? SettleVerb::kDefer
                                                                            : SettleVerb::kAbandon};
  if (modified.message_annotations.has_value()) {
    Result<PropertyMap> properties = PropertiesFrom(*modified.message_annotations);
    if (!properties.ok()) return properties.status();
    if (settlement.verb == SettleVerb::kAbandon) settlement.delay_until = TakeDelay(*properties);
    settlement.properties_to_modify = *std::move(properties);
  }
  return std::optional(std::move(settlement));
}

Result<std::optional<Settlement>> OfRejected(const Rejected& rejected) {
  Settlement settlement{.verb = SettleVerb::kDeadLetter};
  const bool is_told = rejected.error.has_value() &&
                       rejected.error->condition.text == kDeadLetterCondition &&
                       rejected.error->info.has_value();
  if (!is_told) return std::optional(std::move(settlement));
  Result<PropertyMap> properties = PropertiesFrom(*rejected.error->info);
  if (!properties.ok()) return properties.status();
  settlement.reason = TakeText(*properties, kDeadLetterReason);
  settlement.description = TakeText(*properties, kDeadLetterErrorDescription);
  settlement.properties_to_modify = *std::move(properties);
  return std::optional(std::move(settlement));
}

}  // namespace

Result<std::optional<Settlement>> SettlementOf(const std::optional<DeliveryState>& state) {
  if (!state.has_value()) return std::optional<Settlement>();
  if (std::holds_alternative<Accepted>(*state)) return std::optional(Settlement());
  if (std::holds_alternative<Released>(*state)) {
    return std::optional(Settlement{.verb = SettleVerb::kRelease});
  }
  if (const auto* const modified = std::get_if<Modified>(&*state)) return OfModified(*modified);
  if (const auto* const rejected = std::get_if<Rejected>(&*state)) return OfRejected(*rejected);
  if (std::holds_alternative<Received>(*state)) return std::optional<Settlement>();
  return Status(ErrorCode::kNotImplemented, "there are no transactions over AMQP yet");
}

DeliveryState AnswerTo(const DeliveryState& state) {
  return std::holds_alternative<Rejected>(state) ? DeliveryState(Rejected()) : state;
}

Binary TagOf(const LockToken& token) {
  std::string bytes = token.ToBytes();
  std::reverse(bytes.begin(), bytes.begin() + 4);
  std::reverse(bytes.begin() + 4, bytes.begin() + 6);
  std::reverse(bytes.begin() + 6, bytes.begin() + 8);
  return {std::move(bytes)};
}

}  // namespace wharf::amqp
