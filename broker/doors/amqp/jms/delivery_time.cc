#include "broker/doors/amqp/jms/delivery_time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/jms/words.h"

namespace wharf::amqp::jms {
namespace {

// The year 10000.
constexpr std::int64_t kMsEnd = 253'402'300'800'000;

// Null if it is neither; both have one form that is kept as it is, or one that is encoded longer.
std::optional<std::int64_t> MsOf(const PropertyValue& value) {
  if (const auto* const ms = std::get_if<std::int64_t>(&value)) return *ms;
  if (const auto* const time = std::get_if<Instant>(&value)) {
    return time->since_epoch.seconds * 1000 + time->since_epoch.nanos / 1'000'000;
  }
  const auto* const encoded = std::get_if<EncodedValue>(&value);
  const std::optional<PropertyValue> plain =
      encoded == nullptr ? std::nullopt : PlainOf(encoded->bytes);
  if (!plain.has_value() || std::holds_alternative<EncodedValue>(*plain)) return std::nullopt;
  return MsOf(*plain);
}

}  // namespace

Status TakeDeliveryTime(Message& message) {
  if (message.carried == nullptr || message.scheduled_enqueue_time.has_value()) return {};
  const PropertyMap& annotations = message.carried->annotations;
  const auto found = std::find_if(annotations.begin(), annotations.end(),
                                  [](const auto& each) { return each.first == kDeliveryTime; });
  if (found == annotations.end() || std::holds_alternative<std::monostate>(found->second)) {
    return {};
  }
  const std::optional<std::int64_t> ms = MsOf(found->second);
  if (!ms.has_value() || *ms < 0 || *ms >= kMsEnd) {
    return {ErrorCode::kArgumentError,
            fmt::format("{} is no time from 1970 to 9999", kDeliveryTime)};
  }
  message.scheduled_enqueue_time = Timestamp(std::chrono::milliseconds(*ms));
  return {};
}

}  // namespace wharf::amqp::jms
