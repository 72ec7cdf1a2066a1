#include "tools/wharf/definitions/normal_form.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "broker/core/entities/names.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::TimeUtil;

constexpr std::size_t kUserMetadataCharactersMax = 1024;

// What a property may be and what it is if nothing is said, as texts (field_text.h). Empty: there
// is no such bound, or it is "never" or "none".
struct Bound {
  std::string_view field;
  std::string_view least;
  std::string_view most;
  std::string_view usual;
};

constexpr Bound kBounds[] = {
    {"lock_duration", "5s", "1d", "1m"},
    {"max_size_in_megabytes", "1", "", "1024"},
    {"max_message_size_in_kilobytes", "1", "102400", "1024"},
    {"duplicate_detection_history_time_window", "20s", "7d", "10m"},
    {"session_expiry_scope", "", "", "session"},
    {"default_message_time_to_live", "1s", "", ""},
    {"dead_lettering_on_filter_evaluation_exceptions", "", "", "true"},
    {"max_delivery_count", "1", "", "10"},
    {"enable_batched_operations", "", "", "true"},
    {"status", "", "", "active"},
    {"auto_delete_on_idle", "5m", "", ""},
};

constexpr Bound kEventLogBounds[] = {
    {"event_log_size_in_kilobytes", "64", "1048576", ""},
    {"event_log_retention", "1m", "365d", "7d"},
};

constexpr Bound kRetryBounds[] = {
    {"backoff", "", "", "fixed"},
    {"base", "1us", "7d", "1s"},
    {"cap", "1us", "7d", "7d"},
};

Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

bool IsUnspecified(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  return field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM
             ? reflection->GetEnumValue(message, &field) == 0
             : !reflection->HasField(message, &field);
}

// Of a duration microseconds; so that bounds can be compared.
std::int64_t AmountOf(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->GetInt64(message, &field);
    default: {
      google::protobuf::Duration duration;
      duration.CopyFrom(reflection->GetMessage(message, &field));
      return TimeUtil::DurationToMicroseconds(duration);
    }
  }
}

std::int64_t AmountOf(const Message& message, const FieldDescriptor& field, std::string_view text) {
  const std::unique_ptr<Message> bound(message.New());
  const Status set = SetFieldFromText(*bound, field, std::string(text));
  return set.ok() ? AmountOf(*bound, field) : 0;
}

std::string RangeOf(const Bound& bound) {
  return bound.most.empty() ? fmt::format("{} or more", bound.least)
                            : fmt::format("from {} to {}", bound.least, bound.most);
}

Status Complete(Message& message, std::string_view prefix, const Bound& bound) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(std::string(bound.field));
  if (field == nullptr) return {};
  if (IsUnspecified(message, *field)) {
    return bound.usual.empty() ? Status()
                               : SetFieldFromText(message, *field, std::string(bound.usual));
  }
  if (bound.least.empty()) return {};
  const std::int64_t amount = AmountOf(message, *field);
  const bool is_in_range = amount >= AmountOf(message, *field, bound.least) &&
                           (bound.most.empty() || amount <= AmountOf(message, *field, bound.most));
  if (is_in_range) return {};
  return Bad(fmt::format("{}{} must be {}, not {}", prefix, bound.field, RangeOf(bound),
                         FieldToText(message, *field)));
}

Status Complete(Message& message) {
  for (const Bound& bound : kBounds) WHARF_RETURN_IF_ERROR(Complete(message, "", bound));
  return {};
}

Status CompleteRetryPolicy(v1::RetryPolicy& policy) {
  for (const Bound& bound : kRetryBounds) {
    WHARF_RETURN_IF_ERROR(Complete(policy, "retry_policy.", bound));
  }
  if (policy.cap() < policy.base())
    return Bad("retry_policy.cap must be retry_policy.base or more");
  // Written so that NaN is refused, too.
  if (policy.jitter() >= 0 && policy.jitter() <= 1) return {};
  return Bad(fmt::format("retry_policy.jitter must be from 0 to 1, not {}", policy.jitter()));
}

// Without a size there is none, however long it would be kept.
template <typename Entity>
Status CompleteEventLog(Entity& entity) {
  if (entity.event_log_size_in_kilobytes() == 0) {
    entity.clear_event_log_size_in_kilobytes();
    entity.clear_event_log_retention();
    return {};
  }
  for (const Bound& bound : kEventLogBounds) {
    WHARF_RETURN_IF_ERROR(Complete(entity, "", bound));
  }
  return {};
}

template <typename Entity>
Status CheckText(const Entity& entity) {
  const std::string& text = entity.user_metadata();
  const auto is_character = [](unsigned char at) { return (at & 0xC0U) != 0x80U; };
  const auto characters =
      static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_character));
  if (characters <= kUserMetadataCharactersMax) return {};
  return Bad(fmt::format("user_metadata must have at most {} characters, not {}",
                         kUserMetadataCharactersMax, characters));
}

// Levels are an order of all messages; sessions and keys promise one of their own.
Status CheckOrder(bool has_priority, bool has_sessions, bool has_partitions) {
  if (!has_priority || (!has_sessions && !has_partitions)) return {};
  return Bad(fmt::format("enable_priority goes not together with {}",
                         has_sessions ? "requires_session" : "enable_partitioning"));
}

template <typename Entity>
Status CheckDuplicateDetection(const Entity& entity) {
  if (!entity.requires_duplicate_detection() || !entity.enable_express()) return {};
  return Bad("requires_duplicate_detection goes not together with enable_express");
}

template <typename Entity>
Status CheckStatus(const Entity& entity, v1::EntityStatus none, std::string_view words) {
  if (entity.status() != none) return {};
  return Bad(fmt::format("status must be {}", words));
}

template <typename Entity>
void CompleteOrdering(Entity& entity) {
  if (!entity.has_support_ordering()) entity.set_support_ordering(!entity.enable_partitioning());
}

// Whatever arrives leaves again, so nothing expires there, and it is never idle.
template <typename Entity>
Status ApplyForwarding(Entity& entity) {
  if (entity.forward_to().empty()) entity.clear_forward_to();
  if (entity.forward_dead_lettered_messages_to().empty()) {
    entity.clear_forward_dead_lettered_messages_to();
  }
  if (!entity.has_forward_to()) return {};
  if (entity.requires_session()) return Bad("forward_to goes not together with requires_session");
  entity.clear_default_message_time_to_live();
  entity.clear_auto_delete_on_idle();
  return {};
}

template <typename Entity>
Status NormalizeName(Entity& entity) {
  const Result<std::string> name = CheckEntityName(entity.name());
  if (!name.ok()) return name.status();
  entity.set_name(*name);
  return {};
}

}  // namespace

Status Normalize(v1::QueueProperties& queue) {
  WHARF_RETURN_IF_ERROR(NormalizeName(queue));
  WHARF_RETURN_IF_ERROR(Complete(queue));
  if (queue.has_retry_policy()) {
    WHARF_RETURN_IF_ERROR(CompleteRetryPolicy(*queue.mutable_retry_policy()));
  }
  WHARF_RETURN_IF_ERROR(CompleteEventLog(queue));
  WHARF_RETURN_IF_ERROR(CheckText(queue));
  WHARF_RETURN_IF_ERROR(
      CheckOrder(queue.enable_priority(), queue.requires_session(), queue.enable_partitioning()));
  WHARF_RETURN_IF_ERROR(CheckDuplicateDetection(queue));
  CompleteOrdering(queue);
  return ApplyForwarding(queue);
}

Status Normalize(v1::TopicProperties& topic) {
  WHARF_RETURN_IF_ERROR(NormalizeName(topic));
  WHARF_RETURN_IF_ERROR(Complete(topic));
  WHARF_RETURN_IF_ERROR(CompleteEventLog(topic));
  WHARF_RETURN_IF_ERROR(CheckText(topic));
  WHARF_RETURN_IF_ERROR(CheckDuplicateDetection(topic));
  WHARF_RETURN_IF_ERROR(CheckStatus(topic, v1::ENTITY_STATUS_RECEIVE_DISABLED,
                                    "active, disabled or send-disabled of a topic"));
  CompleteOrdering(topic);
  return {};
}

Status Normalize(v1::SubscriptionProperties& subscription) {
  const Result<std::string> path =
      CheckSubscriptionPath(SubscriptionPath(subscription.topic(), subscription.name()));
  if (!path.ok()) return path.status();
  WHARF_RETURN_IF_ERROR(Complete(subscription));
  if (subscription.has_retry_policy()) {
    WHARF_RETURN_IF_ERROR(CompleteRetryPolicy(*subscription.mutable_retry_policy()));
  }
  WHARF_RETURN_IF_ERROR(CompleteEventLog(subscription));
  WHARF_RETURN_IF_ERROR(CheckText(subscription));
  WHARF_RETURN_IF_ERROR(CheckOrder(subscription.enable_priority(), subscription.requires_session(),
                                   /*has_partitions=*/false));
  WHARF_RETURN_IF_ERROR(CheckStatus(subscription, v1::ENTITY_STATUS_SEND_DISABLED,
                                    "active, disabled or receive-disabled of a subscription"));
  return ApplyForwarding(subscription);
}

}  // namespace wharf::tool
