// Fate: what becomes of a message when its lock ends.
//
// One pure function for all callers: the check of a settlement, the question what it must read, and
// the doing; so none can see another end than the others. Called on the shard's thread, for every
// message that is settled.
#pragma once

#include <cstdint>

#include "broker/core/entities/names.h"
#include "broker/core/entities/queue_description.h"

namespace wharf {

// How a lock ends.
enum class Ending : std::uint8_t {
  kCompleted,
  kDeadLettered,
  kReleased,  // The delivery counts as none (CNT-9).
  kFailed,    // Abandoned or deferred, or its receiver did not settle in time.
};

// What is known of the lock.
struct LockFacts {
  LaneKind kind = LaneKind::kMain;
  // Deliveries that failed before this one.
  std::uint32_t delivery_count = 0;
  // Never asked of a message that is completed or dead-lettered.
  bool has_expired = false;
};

enum class Fate : std::uint8_t {
  kIsDone,          // It is gone, as its receiver wished.
  kStays,           // In its lane.
  kIsDropped,       // It has expired, and is gone.
  kExpires,         // It has expired, and is a dead letter.
  kHasFailed,       // Too often: it is a dead letter (MAX-2).
  kIsDeadLettered,  // As its receiver wished.
};

Fate FateOf(const QueueDescription& description, const LockFacts& lock, Ending ending);

// Whether it goes to the dead-letter queue, so that what it holds must be read.
constexpr bool Moves(Fate fate) { return fate >= Fate::kExpires; }
// Whether its time is over.
constexpr bool HasExpired(Fate fate) { return fate == Fate::kExpires || fate == Fate::kIsDropped; }

}  // namespace wharf
