#include "broker/doors/http/rest/broker_properties.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "broker/doors/common/field_error.h"
#include "broker/doors/http/rest/http_time.h"
#include "broker/doors/http/rest/json_text.h"
#include "broker/doors/http/servicebus/data_route.h"

namespace wharf::rest {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kMicrosPerSecond = 1e6;
// In seconds; a longer life is no life of this broker.
constexpr double kLifeSecondsMax = 9e12;

using TextField = std::optional<std::string> Message::*;
constexpr std::array<std::pair<const char*, TextField>, 10> kTexts = {{
    {"ContentType", &Message::content_type},
    {"CorrelationId", &Message::correlation_id},
    {"Label", &Message::subject},
    {"MessageId", &Message::message_id},
    {"PartitionKey", &Message::partition_key},
    {"ReplyTo", &Message::reply_to},
    {"ReplyToSessionId", &Message::reply_to_session_id},
    {"SessionId", &Message::session_id},
    {"To", &Message::to},
    {"ViaPartitionKey", &Message::via_partition_key},
}};

// Null: it is not said.
const json* Said(const json& properties, const char* name) {
  const auto found = properties.find(name);
  return found == properties.end() || found->is_null() ? nullptr : &*found;
}

Status TakeText(const json& properties, const char* name, std::optional<std::string>& field) {
  const json* const said = Said(properties, name);
  if (said == nullptr) return {};
  if (!said->is_string()) return BadValue(name, "must be a string");
  field = said->get<std::string>();
  return {};
}

Status TakeLife(const json& properties, Message& message) {
  if (const json* const said = Said(properties, "TimeToLive")) {
    if (!said->is_number()) return BadValue("TimeToLive", "must be a number of seconds");
    const double seconds = said->get<double>();
    if (!(std::abs(seconds) <= kLifeSecondsMax)) {
      return OutOfRange("TimeToLive", "must be less than 9e12 seconds");
    }
    message.time_to_live = Duration(std::llround(seconds * kMicrosPerSecond));
  }
  const json* const span = Said(properties, "TimeToLiveTimeSpan");
  if (span == nullptr) return {};
  const auto length =
      span->is_string() ? TimeSpanFrom(span->get<std::string>()) : std::optional<Duration>();
  if (!length) return BadValue("TimeToLiveTimeSpan", "must be like \"1.02:03:04.5\"");
  message.time_to_live = *length;
  return {};
}

Status TakeSchedule(const json& properties, Message& message) {
  const json* const said = Said(properties, "ScheduledEnqueueTimeUtc");
  if (said == nullptr) return {};
  const auto time =
      said->is_string() ? InstantFrom(said->get<std::string>()) : std::optional<Timestamp>();
  if (!time) {
    return BadValue("ScheduledEnqueueTimeUtc",
                    "must be like \"Thu, 01 Jan 1970 00:00:00 GMT\" or \"1970-01-01T00:00:00Z\"");
  }
  message.scheduled_enqueue_time = *time;
  return {};
}

double SecondsIn(Duration span) { return static_cast<double>(span.count()) / kMicrosPerSecond; }

void TellLife(Duration life, ordered_json& told) {
  constexpr std::int64_t kMicros = 1'000'000;
  if (life.count() % kMicros == 0) {
    told["TimeToLive"] = life.count() / kMicros;
  } else {
    told["TimeToLive"] = SecondsIn(life);
  }
}

void TellStored(const StoredMessage& stored, ordered_json& told) {
  const Message& message = stored.message;
  if (stored.enqueued_number != SequenceNumber()) {
    told["EnqueuedSequenceNumber"] = stored.enqueued_number.value();
  }
  told["EnqueuedTimeUtc"] = HttpTime(stored.enqueued_at);
  if (stored.facts.expires_at != kNever) told["ExpiresAtUtc"] = HttpTime(stored.facts.expires_at);
  for (const auto& [name, field] : kTexts) {
    const bool is_header = field == &Message::content_type;
    if (message.*field && !is_header) told[name] = *(message.*field);
  }
  if (message.scheduled_enqueue_time) {
    told["ScheduledEnqueueTimeUtc"] = HttpTime(*message.scheduled_enqueue_time);
  }
  told["SequenceNumber"] = stored.number.value();
  if (message.time_to_live) TellLife(*message.time_to_live, told);
  if (!stored.dead_letter_source.empty()) told["DeadLetterSource"] = stored.dead_letter_source;
}

// Nothing else of them has a length that a sender chooses.
std::string WithoutTheLongest(ordered_json told, std::vector<std::string>& omitted) {
  std::string text = ToAscii(told);
  while (text.size() > kHeaderBytesMax) {
    const auto size = [](const ordered_json& value) {
      return value.is_string() ? value.get_ref<const std::string&>().size() : 0;
    };
    const auto longest = std::max_element(
        told.begin(), told.end(),
        [&size](const auto& one, const auto& other) { return size(one) < size(other); });
    omitted.push_back("BrokerProperties." + longest.key());
    told.erase(longest);
    text = ToAscii(told);
  }
  return text;
}

void TellLock(const LockToken& token, Timestamp until, ordered_json& told) {
  told["LockToken"] = TextOf(token);
  if (until != kNever) told["LockedUntilUtc"] = HttpTime(until);
}

}  // namespace

Status TakeBrokerProperties(const json& properties, Message& message) {
  if (!properties.is_object()) return BadValue("BrokerProperties", "must be a JSON object");
  for (const auto& [name, field] : kTexts) {
    WHARF_RETURN_IF_ERROR(TakeText(properties, name, message.*field));
  }
  WHARF_RETURN_IF_ERROR(TakeLife(properties, message));
  return TakeSchedule(properties, message);
}

Status TakeBrokerPropertiesHeader(std::string_view header, Message& message) {
  const Result<json> parsed = ParseJson("BrokerProperties", header);
  if (!parsed.ok()) return parsed.status();
  return TakeBrokerProperties(*parsed, message);
}

std::string BrokerPropertiesOf(const Delivered& delivered, std::vector<std::string>& omitted) {
  ordered_json told;
  told["DeliveryCount"] = delivered.delivery.count + 1;
  TellStored(*delivered.message, told);
  told["State"] = delivered.was_deferred ? "Deferred" : "Active";
  if (!delivered.token.is_zero()) TellLock(delivered.token, delivered.until, told);
  return WithoutTheLongest(std::move(told), omitted);
}

std::string BrokerPropertiesOf(const LockToken& token, Timestamp until) {
  ordered_json told;
  TellLock(token, until, told);
  return ToAscii(told);
}

}  // namespace wharf::rest
