// Expiry: which messages of an entity have expired, alone or with their session, and how they go.
//
// A message whose time is over is never delivered again, whether or not the sweeper came to take it
// away. Owned by a Queue, used on the shard's thread.
#pragma once

#include <string>

#include "broker/core/queue/dead_letters.h"
#include "broker/core/queue/lanes.h"

namespace wharf {

class Expiry {
 public:
  // All that it is made with outlives it.
  Expiry(const EntityRecord& record, Lanes& lanes, DeadLetters& dead_letters)
      : record_(record), lanes_(lanes), dead_letters_(dead_letters) {}

  // Its own time is over, or it expired with its session (TTS-1).
  bool HasExpired(LaneKind kind, SequenceNumber number, const MessageFacts& facts,
                  Timestamp now) const;
  bool HasExpired(LaneKind kind, const Lock& lock, Timestamp now) const;
  // It would wait among messages that are being removed because their session expired.
  bool ExpiresWithSession(LaneKind kind, const FoundMessage& found) const;

  // If its time is over and it is not locked, it is dropped or dead-lettered; whether it was.
  bool Expire(LaneKind kind, const FoundMessage& found, Timestamp now, Changes& changes);
  // Whether such messages are counted out together, if they were never delivered: where nothing
  // becomes of them.
  bool CanExpireRuns(LaneKind kind) const;
  // This one can be among them, and has expired.
  bool FitsRun(LaneKind kind, const FoundMessage& found, Timestamp now) const;
  // For those that fit, and follow each other.
  MessageRun BeginRun() const { return lanes_.main().BeginRun(); }
  // Those at the head that have expired, as far as they are in memory.
  MessageRun ReadyRun(LaneKind kind, Timestamp now) const;
  // Counts all of them out, unless they are too few, or find no room; whether it did.
  bool ExpireRun(const MessageRun& run, Timestamp now, Changes& changes);

  // If its time is over, everything that waits in its session expires with it (TTS-1).
  void ExpireSessionOf(SequenceNumber number, const MessageFacts& facts, Timestamp now,
                       Changes& changes);
  // The expired messages of a session up to `through` are gone.
  void FinishSession(const std::string& session, SequenceNumber through, Changes& changes);

 private:
  const EntityRecord& record_;
  Lanes& lanes_;
  DeadLetters& dead_letters_;
};

}  // namespace wharf
