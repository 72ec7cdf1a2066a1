// The message annotations that are the broker's: what it tells receivers in them, and which of them
// a sender may set. Their values from a sender that may not are dropped (SND-10).
#pragma once

#include <algorithm>
#include <string_view>

namespace wharf::amqp::annotation {

// A sender's.
inline constexpr std::string_view kPartitionKey = "x-opt-partition-key";
inline constexpr std::string_view kViaPartitionKey = "x-opt-via-partition-key";
inline constexpr std::string_view kScheduledEnqueueTime = "x-opt-scheduled-enqueue-time";
// The broker's.
inline constexpr std::string_view kSequenceNumber = "x-opt-sequence-number";
inline constexpr std::string_view kEnqueuedTime = "x-opt-enqueued-time";
inline constexpr std::string_view kLockedUntil = "x-opt-locked-until";
inline constexpr std::string_view kEnqueueSequenceNumber = "x-opt-enqueue-sequence-number";
inline constexpr std::string_view kMessageState = "x-opt-message-state";
inline constexpr std::string_view kDeadLetterSource = "x-opt-deadletter-source";
inline constexpr std::string_view kPartitionId = "x-opt-partition-id";
// A delivery annotation.
inline constexpr std::string_view kLockToken = "x-opt-lock-token";

constexpr bool IsOfBroker(std::string_view key) {
  constexpr std::string_view kAll[] = {kSequenceNumber, kEnqueuedTime,     kLockedUntil,
                                       kMessageState,   kDeadLetterSource, kEnqueueSequenceNumber,
                                       kPartitionId,    kLockToken};
  return std::find(std::begin(kAll), std::end(kAll), key) != std::end(kAll);
}

}  // namespace wharf::amqp::annotation
