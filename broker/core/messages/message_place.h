// What is told of where a message is: each place that holds one, and what it waits for there.
//
// Plain values; asked for by doors, put together by the engine of what a reader found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/core/messages/message_event.h"
#include "broker/core/messages/peek.h"
#include "broker/core/operations/job.h"

namespace wharf {

// Which message is looked for: by its message id, or by its number.
using WantedMessage = std::variant<std::string, SequenceNumber>;

// The parts of an entity, in the order in which they are looked at.
enum class EntityPart : std::uint8_t { kMain, kScheduled, kDeadLetter, kEnd, kEvents };

// A message whose events are looked for in the log of an entity, and how it stood by then: of a
// purge only what stood there is told.
struct FollowedMessage {
  enum class Stand : std::uint8_t { kUnknown, kMain, kDeadLetter, kScheduled, kGone };
  SequenceNumber number;
  Stand stand = Stand::kUnknown;
};

// Where the search for a message goes on: in the entity of this folded path, at that number of a
// part of it, or at that position of its event log; kEnd: behind that entity. An empty path: before
// the first.
struct TracePosition {
  std::string path{};
  EntityPart part = EntityPart::kMain;
  SequenceNumber number{};
  // Found in that entity so far.
  std::vector<FollowedMessage> followed{};
};

enum class MessageWait : std::uint8_t {
  kReceiver,       // Its turn, and a receiver.
  kLock,           // The end of its lock.
  kSession,        // A receiver that accepts its session.
  kSessionLock,    // Who holds its session.
  kScheduledTime,  // Its time.
  kDelay,          // The end of its rest.
  kDeferred,       // Who asks for its number.
  kQuarantine,     // An operator.
  kEntityStatus,   // That its entity may be received from.
  kForwarding,     // To be forwarded.
  kExpiry,         // To be removed, or dead-lettered: its time is over.
};

struct MessagePlace {
  // Of the lane.
  std::string path;
  PeekedMessage peeked;
  MessageWait wait = MessageWait::kReceiver;
  // The next one for a receiver; false also where that is not known without reading.
  bool is_next = false;
  // kLock. kNever: since before the last start; and as long as its session is locked. kSessionLock:
  // that of its session.
  Timestamp locked_since = kNever;
  Timestamp locked_until = kNever;
  // kLock, kSessionLock: where the holder comes from; empty: not known, or not for who asks.
  std::string locked_by{};
  // kForwarding: where it goes.
  std::string forward_to{};
  // That will come to it yet.
  std::vector<JobId> jobs{};
};

// A message id that an entity has accepted, and of which message (DUP-5).
struct RememberedPlace {
  std::string path;
  // 0: no longer known.
  SequenceNumber number;
  Timestamp forget_after;
};

struct TracePage {
  std::vector<MessagePlace> places;
  std::vector<RememberedPlace> remembered;
  // Of each entity in their order.
  std::vector<MessageEvent> events;
  // Of some messages the events are not among them.
  bool has_untold = false;
  // Places of event logs that cannot be read.
  std::size_t damaged_places = 0;
  // Messages.
  std::size_t looked_at = 0;
  // Entities that were finished with.
  std::size_t entities = 0;
  // Those of them that nobody looks into: they are fenced.
  std::vector<std::string> fenced;
  // Nothing: that was all.
  std::optional<TracePosition> next;
};

}  // namespace wharf
