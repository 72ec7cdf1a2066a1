#include "broker/doors/amqp/entities/links/settlements.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/core/messages/message.h"
#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {
namespace {

constexpr std::string_view kDeadLetterCondition = "com.microsoft:dead-letter";
constexpr std::string_view kDeliveryTime = "x-opt-delivery-time";
// The year 10000.
constexpr std::int64_t kDeliveryTimeMsEnd = 253'402'300'800'000;

// Out of the properties, where it is said; null if not.
PropertyValue Take(PropertyMap& properties, std::string_view name) {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [name](const auto& one) { return one.first == name; });
  if (found == properties.end()) return {};
  PropertyValue value = std::move(found->second);
  properties.erase(found);
  return value;
}

// A string or a symbol; null is none.
Result<std::optional<std::string>> TakeText(PropertyMap& properties, std::string_view name) {
  const PropertyValue value = Take(properties, name);
  if (std::holds_alternative<std::monostate>(value)) return std::optional<std::string>();
  if (const auto* const text = std::get_if<std::string>(&value)) return std::optional(*text);
  const auto* const encoded = std::get_if<EncodedValue>(&value);
  const auto text = encoded == nullptr ? std::nullopt : wharf::TextOf(encoded->bytes);
  if (text) return std::optional(std::string(*text));
  return Status(ErrorCode::kArgumentError, fmt::format("{} is no text", name));
}

// Our own: until when an abandoned message rests, as a time or in milliseconds. No later than any
// protocol can say: a client's number may be anything.
Result<std::optional<Timestamp>> TakeDelay(PropertyMap& properties) {
  const PropertyValue value = Take(properties, kDeliveryTime);
  if (std::holds_alternative<std::monostate>(value)) return std::optional<Timestamp>();
  const auto* const ms = std::get_if<std::int64_t>(&value);
  if (ms != nullptr && *ms >= 0 && *ms < kDeliveryTimeMsEnd) {
    return std::optional(Timestamp(std::chrono::milliseconds(*ms)));
  }
  // One outside of the calendar is none of these.
  if (const auto* const time = std::get_if<Instant>(&value)) {
    return std::optional(Timestamp(std::chrono::seconds(time->since_epoch.seconds) +
                                   std::chrono::microseconds(time->since_epoch.nanos / 1000)));
  }
  return Status(ErrorCode::kArgumentError,
                fmt::format("{} is no time from 1970 to 9999", kDeliveryTime));
}

Result<std::optional<Settlement>> OfModified(const Modified& modified) {
  Settlement settlement{.verb = modified.undeliverable_here.value_or(false) ? SettleVerb::kDefer
                                                                            : SettleVerb::kAbandon};
  if (modified.message_annotations.has_value()) {
    Result<PropertyMap> properties = PropertiesFrom(*modified.message_annotations);
    if (!properties.ok()) return properties.status();
    if (settlement.verb == SettleVerb::kAbandon) {
      const Result<std::optional<Timestamp>> until = TakeDelay(*properties);
      if (!until.ok()) return until.status();
      settlement.delay_until = *until;
    }
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
  Result<std::optional<std::string>> reason = TakeText(*properties, kDeadLetterReason);
  if (!reason.ok()) return reason.status();
  Result<std::optional<std::string>> description =
      TakeText(*properties, kDeadLetterErrorDescription);
  if (!description.ok()) return description.status();
  settlement.reason = *std::move(reason);
  settlement.description = *std::move(description);
  settlement.properties_to_modify = *std::move(properties);
  return std::optional(std::move(settlement));
}

}  // namespace

Result<std::optional<Settlement>> SettlementOf(const std::optional<DeliveryState>& state) {
  if (!state.has_value()) return std::optional<Settlement>();
  if (const auto* const in = std::get_if<TransactionalState>(&*state)) {
    if (!in->outcome) return std::optional<Settlement>();
    return SettlementOf(
        std::visit([](const auto& said) { return DeliveryState(said); }, *in->outcome));
  }
  if (std::holds_alternative<Accepted>(*state)) return std::optional(Settlement());
  if (std::holds_alternative<Released>(*state)) {
    return std::optional(Settlement{.verb = SettleVerb::kRelease});
  }
  if (const auto* const modified = std::get_if<Modified>(&*state)) return OfModified(*modified);
  if (const auto* const rejected = std::get_if<Rejected>(&*state)) return OfRejected(*rejected);
  if (std::holds_alternative<Received>(*state)) return std::optional<Settlement>();
  return Status(ErrorCode::kArgumentError, "the state is no outcome of a delivery");
}

DeliveryState AnswerTo(const DeliveryState& state) {
  if (const auto* const in = std::get_if<TransactionalState>(&state)) {
    TransactionalState answer = *in;
    const bool is_rejected = in->outcome && std::holds_alternative<Rejected>(*in->outcome);
    if (is_rejected) answer.outcome.emplace(Rejected());
    return answer;
  }
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
