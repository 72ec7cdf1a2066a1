// QueueDescription: what a queue, a topic or a subscription is, as its owner described it. Checks
// ranges, defaults and immutables.
//
// A subscription is a queue that its topic fills; a topic is a queue whose messages do not stay.
// Each leaves the properties that it does not have (semantics section 20) at their defaults.
//
// A plain value; made by the management door, kept by the queue, stored in the catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/entities/retry_policy.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// What an entity is. The values are on disk.
enum class EntityKind : std::uint8_t { kQueue = 0, kTopic = 1, kSubscription = 2 };

// "queue", "topic", "subscription".
std::string_view NameOf(EntityKind kind);

// The values are Azure's numbers, and those of the disk (STS-1..4).
enum class EntityStatus : std::uint8_t {
  kActive = 0,
  kDisabled = 1,
  kSendDisabled = 3,
  kReceiveDisabled = 4,
};

// What expires when one message of a session does (TTS-6). The values are on disk.
enum class SessionExpiryScope : std::uint8_t {
  kSession = 0,  // All that wait in the session.
  kMessage = 1,  // That message.
};

// Of QueueDescription::unknown_elements.
inline constexpr std::size_t kUnknownElementsBytesMax = 8192;

inline constexpr Duration kEventLogRetentionDefault = std::chrono::hours(24 * 7);

// The rules are those of semantics section 20; each field has the default that it documents there.
struct QueueDescription {
  // Of a subscription: "topic/Subscriptions/name".
  std::string name{};
  Duration lock_duration = std::chrono::minutes(1);
  std::int64_t max_size_in_megabytes = 1024;
  std::int64_t max_message_size_in_kilobytes = 1024;
  bool requires_duplicate_detection = false;
  Duration duplicate_detection_history_time_window = std::chrono::minutes(10);
  bool requires_session = false;
  SessionExpiryScope session_expiry_scope = SessionExpiryScope::kSession;
  Duration default_message_time_to_live = kUnlimited;
  bool dead_lettering_on_message_expiration = false;
  // Of a subscription: a message that its rules cannot be evaluated for goes to its dead-letter
  // queue (RUL-8).
  bool dead_lettering_on_filter_evaluation_exceptions = true;
  // Of a topic: a message that no subscription takes is refused (TOP-3).
  bool enable_filtering_messages_before_publishing = false;
  std::int32_t max_delivery_count = 10;
  bool enable_batched_operations = true;
  EntityStatus status = EntityStatus::kActive;
  // Names of entities; where the messages of the queue go, and those of its dead-letter queue.
  std::optional<std::string> forward_to{};
  std::optional<std::string> forward_dead_lettered_messages_to{};
  Duration auto_delete_on_idle = kUnlimited;
  bool enable_partitioning = false;
  // Delivered by levels (PRI-1).
  bool enable_priority = false;
  std::optional<std::string> user_metadata{};
  bool support_ordering = true;
  bool enable_express = false;
  // Absent: a message is available at once after a failed delivery, as in Service Bus.
  std::optional<RetryPolicy> retry_policy{};
  // How much the event log keeps of what happens to messages, and for how long; 0: there is none.
  std::int64_t event_log_size_in_kilobytes = 0;
  Duration event_log_retention = kEventLogRetentionDefault;
  // What a client that describes entities as XML said beside all that, as the text that is given
  // back to it (EPR-24). Nobody else has a word for it. Empty: nothing.
  std::string unknown_elements{};

  std::int64_t bytes_max() const;
  std::int64_t message_bytes_max() const { return max_message_size_in_kilobytes * 1024; }
  bool has_event_log() const { return event_log_size_in_kilobytes > 0; }
  bool can_send() const;
  bool can_receive() const;

  friend bool operator==(const QueueDescription&, const QueueDescription&) = default;
};

// Whether an entity may be so: name, ranges, and that this version offers what is asked for.
// Normalizes the name's slashes, and what forwarding decides. Where it forwards to is checked by
// the catalog (forward_target.h).
Status CheckDescription(EntityKind kind, QueueDescription& description);

// Whether an entity that is `before` may become `after`; names the property that is fixed at
// creation (EPR-31).
Status CheckUpdate(EntityKind kind, const QueueDescription& before, const QueueDescription& after);

}  // namespace wharf
