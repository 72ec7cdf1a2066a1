// MessageEvent: one thing that happened to a message, as the event log of its entity tells it, and
// Actor: in whose name it happened.
//
// Plain values. The values of the enums are on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/entities/names.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// Through which door somebody asked.
enum class Door : std::uint8_t {
  kNone = 0,  // The broker itself.
  kGrpc = 1,
  kAmqp = 2,
  kHttp = 3,     // Service Bus over HTTP.
  kConsole = 4,  // The console's page, and JSON.
};

struct Actor {
  Door door = Door::kNone;
  // Where its connection comes from.
  std::string peer{};
  // Which rule of access it has proven, or as whom a client is known; empty: nothing.
  std::string identity{};

  friend bool operator==(const Actor&, const Actor&) = default;
};
// Null: the broker itself.
using ActorPtr = std::shared_ptr<const Actor>;

enum class EventKind : std::uint8_t {
  kSent = 1,
  kScheduled = 2,    // Sent, to wait for its time.
  kRescheduled = 3,  // Waits for another time.
  kScheduleCancelled = 4,
  kActivated = 5,  // Its time came: it has the number of an active message from here on.
  kPublished = 6,  // A topic took it; `copies` tells how many subscriptions got it.
  kCopied = 7,     // A subscription got its copy.
  kDelivered = 8,  // To a receiver that holds a lock until then.
  kLockRenewed = 9,
  kReceivedAndDeleted = 10,
  kCompleted = 11,
  kAbandoned = 12,    // With a time: it rests until then.
  kLockExpired = 13,  // The same.
  kReleased = 14,     // Given back without counting.
  kDeferred = 15,
  kDelayEnded = 16,  // It has rested.
  kUndeferred = 17,
  kDeadLettered = 18,
  kForwarded = 19,      // To another entity.
  kForwardedFrom = 20,  // From another entity.
  kRedriven = 21,
  kRedrivenFrom = 22,
  kExpired = 23,
  kDeleted = 24,           // By a job, or by who deletes the oldest.
  kDuplicateDropped = 25,  // When its time came, a message with its id was known.
  kQuarantined = 26,
  kPurged = 27,          // With all that stood in its lane.
  kSchedulePurged = 28,  // With all that was scheduled.
};
inline constexpr EventKind kEventKindMax = EventKind::kSchedulePurged;

struct MessageEvent {
  // Of the lane in which it stood, or to which it came.
  std::string path;
  EventKind kind = EventKind::kSent;
  SequenceNumber number;
  Timestamp time;
  // Orders the events of all entities as they happened.
  std::uint64_t order = 0;
  Actor actor{};
  // Until when it is locked or rests, or for when it is scheduled.
  std::optional<Timestamp> until{};
  // Deliveries that had failed by then.
  std::optional<std::uint32_t> delivery_count{};
  std::optional<std::uint32_t> copies{};
  std::string message_id{};
  // Why; shortened.
  std::string reason{};
  // Where it came from or went to, and its number there.
  std::string other_path{};
  SequenceNumber other_number{};
};

}  // namespace wharf
