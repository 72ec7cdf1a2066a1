#include "broker/core/entities/queue_description.h"

#include <limits>
#include <string_view>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "broker/core/messages/text.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kUserMetadataCharactersMax = 1024;
constexpr std::int64_t kBytesPerMegabyte = 1024 * 1024;

Status OutOfRange(std::string_view property, std::string_view range) {
  return {ErrorCode::kArgumentOutOfRange, fmt::format("{} must be {}", property, range)};
}

// One that is off has no retention.
Status CheckEventLog(const QueueDescription& queue) {
  if (queue.event_log_size_in_kilobytes == 0) return {};
  if (queue.event_log_size_in_kilobytes < 64 || queue.event_log_size_in_kilobytes > 1048576) {
    return OutOfRange("event_log_size_in_kilobytes", "from 64 to 1048576, or 0 for none");
  }
  if (queue.event_log_retention < minutes(1) || queue.event_log_retention > hours(24 * 365)) {
    return OutOfRange("event_log_retention", "from 1 minute to 365 days");
  }
  return {};
}

Status CheckRanges(const QueueDescription& queue) {
  if (queue.lock_duration < seconds(5) || queue.lock_duration > hours(24)) {
    return OutOfRange("lock_duration", "from 5 seconds to 24 hours");
  }
  if (queue.max_size_in_megabytes < 1) return OutOfRange("max_size_in_megabytes", "1 or more");
  if (queue.max_message_size_in_kilobytes < 1 || queue.max_message_size_in_kilobytes > 102400) {
    return OutOfRange("max_message_size_in_kilobytes", "from 1 to 102400");
  }
  if (queue.duplicate_detection_history_time_window < seconds(20) ||
      queue.duplicate_detection_history_time_window > hours(24 * 7)) {
    return OutOfRange("duplicate_detection_history_time_window", "from 20 seconds to 7 days");
  }
  if (queue.default_message_time_to_live < seconds(1)) {
    return OutOfRange("default_message_time_to_live", "1 second or more");
  }
  if (queue.max_delivery_count < 1) return OutOfRange("max_delivery_count", "1 or more");
  if (queue.auto_delete_on_idle < minutes(5)) {
    return OutOfRange("auto_delete_on_idle", "5 minutes or more");
  }
  if (queue.user_metadata && CharactersIn(*queue.user_metadata) > kUserMetadataCharactersMax) {
    return OutOfRange("user_metadata", "at most 1024 characters");
  }
  if (queue.unknown_elements.size() > kUnknownElementsBytesMax) {
    return OutOfRange("unknown_elements", "at most 8192 bytes");
  }
  WHARF_RETURN_IF_ERROR(CheckEventLog(queue));
  return queue.retry_policy ? CheckRetryPolicy(*queue.retry_policy) : Status();
}

// Levels are an order of all messages; sessions and keys promise one of their own.
Status CheckOrder(const QueueDescription& queue) {
  if (!queue.enable_priority) return {};
  if (!queue.requires_session && !queue.enable_partitioning) return {};
  return {ErrorCode::kArgumentError,
          "an entity with enable_priority can have neither requires_session nor "
          "enable_partitioning: they deliver in another order"};
}

// DUP-14: what is remembered of a message must be as durable as the message.
Status CheckDuplicateDetection(const QueueDescription& queue) {
  if (!queue.requires_duplicate_detection || !queue.enable_express) return {};
  return {ErrorCode::kArgumentError,
          "an entity with requires_duplicate_detection cannot have enable_express"};
}

// What forwarding asks of a queue, and takes from it: whatever arrives leaves again, so nothing
// expires there and the queue is never idle (FWD-4, FWD-17, TTL-16).
Status ApplyForwarding(QueueDescription& queue) {
  for (auto* target : {&queue.forward_to, &queue.forward_dead_lettered_messages_to}) {
    if (*target && (*target)->empty()) target->reset();
  }
  if (!queue.forward_to) return {};
  if (queue.requires_session) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("'{}' requires sessions: its messages cannot be forwarded", queue.name)};
  }
  queue.default_message_time_to_live = kUnlimited;
  queue.auto_delete_on_idle = kUnlimited;
  return {};
}

Status Immutable(EntityKind kind, std::string_view property) {
  return {ErrorCode::kArgumentError,
          fmt::format("{} is fixed when a {} is created and cannot be changed", property,
                      NameOf(kind))};
}

// A property that only other kinds of entities have must not promise anything here.
Status CheckKind(EntityKind kind, const QueueDescription& queue) {
  const auto none = [kind](std::string_view property) -> Status {
    return {ErrorCode::kArgumentError, fmt::format("a {} has no {}", NameOf(kind), property)};
  };
  if (kind == EntityKind::kTopic) {
    if (queue.requires_session) return none("requires_session");
    if (queue.dead_lettering_on_message_expiration) {
      return none("dead_lettering_on_message_expiration");
    }
    if (queue.retry_policy) return none("retry_policy");
    if (queue.enable_priority) return none("enable_priority");
    if (queue.forward_to) return none("forward_to");
    if (queue.forward_dead_lettered_messages_to) return none("forward_dead_lettered_messages_to");
    if (queue.status == EntityStatus::kReceiveDisabled) return none("status RECEIVE_DISABLED");
  } else if (queue.enable_filtering_messages_before_publishing) {
    return none("enable_filtering_messages_before_publishing");
  }
  if (kind == EntityKind::kSubscription) {
    if (queue.requires_duplicate_detection) return none("requires_duplicate_detection");
    if (queue.enable_partitioning) return none("enable_partitioning");
    if (queue.status == EntityStatus::kSendDisabled) return none("status SEND_DISABLED");
  }
  return {};
}

}  // namespace

std::string_view NameOf(EntityKind kind) {
  switch (kind) {
    case EntityKind::kQueue:
      return "queue";
    case EntityKind::kTopic:
      return "topic";
    case EntityKind::kSubscription:
      return "subscription";
  }
  return "entity";
}

std::int64_t QueueDescription::bytes_max() const {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max();
  return max_size_in_megabytes > kLimit / kBytesPerMegabyte
             ? kLimit
             : max_size_in_megabytes * kBytesPerMegabyte;
}

bool QueueDescription::can_send() const {
  return status == EntityStatus::kActive || status == EntityStatus::kReceiveDisabled;
}

bool QueueDescription::can_receive() const {
  return status == EntityStatus::kActive || status == EntityStatus::kSendDisabled;
}

Status CheckDescription(EntityKind kind, QueueDescription& description) {
  Result<std::string> name = kind == EntityKind::kSubscription
                                 ? CheckSubscriptionPath(description.name)
                                 : CheckEntityName(description.name);
  if (!name.ok()) return name.status();
  description.name = *std::move(name);
  WHARF_RETURN_IF_ERROR(CheckKind(kind, description));
  WHARF_RETURN_IF_ERROR(CheckRanges(description));
  WHARF_RETURN_IF_ERROR(CheckOrder(description));
  WHARF_RETURN_IF_ERROR(CheckDuplicateDetection(description));
  if (!description.has_event_log()) description.event_log_retention = kEventLogRetentionDefault;
  return ApplyForwarding(description);
}

Status CheckUpdate(EntityKind kind, const QueueDescription& before, const QueueDescription& after) {
  if (FoldPath(before.name) != FoldPath(after.name)) return Immutable(kind, "name");
  if (before.requires_duplicate_detection != after.requires_duplicate_detection) {
    return Immutable(kind, "requires_duplicate_detection");
  }
  if (before.requires_session != after.requires_session) return Immutable(kind, "requires_session");
  if (before.enable_partitioning != after.enable_partitioning) {
    return Immutable(kind, "enable_partitioning");
  }
  if (before.enable_priority != after.enable_priority) return Immutable(kind, "enable_priority");
  if (before.enable_express != after.enable_express) return Immutable(kind, "enable_express");
  return {};
}

}  // namespace wharf
