// Receiving: from where receivers take messages, whether there is one for them now, and how it is
// handed out.
//
// Which receivers wait, and whose turn it is, is the engine's business. Owned by a Queue, used on
// the shard's thread.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/core/queue/expiry.h"
#include "broker/core/queue/holds.h"
#include "broker/core/queue/queue_limits.h"
#include "storage/base/random.h"

namespace wharf {

enum class ReceiveMode : std::uint8_t { kPeekLock, kReceiveAndDelete };

// A message on its way to a receiver.
struct Delivered {
  MessagePtr message;
  Delivery delivery{};
  // Zero and kNever with receive-and-delete.
  LockToken token{};
  Timestamp until = kNever;
  // It was received by its number, out of deferral (PRP-22).
  bool was_deferred = false;
};

// Where a receiver takes messages from: a lane, or one session of it.
struct Source {
  LaneKind kind = LaneKind::kMain;
  Session* session = nullptr;
};

class Receiving {
 public:
  // All that it is made with outlives it.
  Receiving(const EntityRecord& record, const QueueLimits& limits, Random& random, Lanes& lanes,
            const Holds& holds, Expiry& expiry)
      : record_(record),
        limits_(limits),
        random_(random),
        lanes_(lanes),
        holds_(holds),
        expiry_(expiry) {}

  // Whether a receiver may wait on the lane.
  Status Check(LaneKind kind) const;
  // The lane, or its session that is held by this token: one of a queue with sessions cannot be
  // received from without (RCV-3, RCV-4).
  Result<Source> SourceOf(LaneKind kind, const std::optional<LockToken>& session, Timestamp now);

  // How many more messages may be locked (LCK-13), and whether so many may.
  std::size_t locks_left(LaneKind kind) const;
  bool CanLockMore(LaneKind kind, std::size_t count = 1) const;
  // What is said if they may not.
  Status TooManyLocked() const;

  // Drops or dead-letters messages at the head that have expired, up to `count_max` or as many runs
  // (TTL-6). True if the head is still one.
  bool ExpireHeads(const Source& from, Timestamp now, std::size_t count_max, Changes& changes);
  // The message that a receiver would get next; null if there is none in memory.
  const StoredMessage* Head(const Source& from) const;
  // Whether there is one that a receiver could get now.
  bool CanDeliver(const Source& from, Timestamp now) const;
  // Whether a receiver that waits would get something without anyone else doing anything, perhaps
  // after a read.
  bool MayDeliver(const Source& from) const;
  // Hands out the head. CanDeliver must be true.
  Delivered Deliver(const Source& from, ReceiveMode mode, HolderId holder, Timestamp now,
                    Changes& changes);
  // Hands out a message that was found by its number and is not locked.
  Delivered HandOut(LaneKind kind, ReceiveMode mode, HolderId holder, const FoundMessage& found,
                    Timestamp now, Changes& changes);

 private:
  const EntityRecord& record_;
  const QueueLimits& limits_;
  Random& random_;
  Lanes& lanes_;
  const Holds& holds_;
  Expiry& expiry_;
};

}  // namespace wharf
