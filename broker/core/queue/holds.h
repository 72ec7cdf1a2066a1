// Holds: which locks and sessions hold at a time, and the words for one that does not.
//
// A lock that has ended is as good as none. A message of a session is locked as long as its session
// is (SES-12). Changes nothing; owned by a Queue, used on the shard's thread.
#pragma once

#include "broker/core/queue/lanes.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf {

inline LockToken NewLockToken(Random& random) { return {random.Next(), random.Next()}; }

class Holds {
 public:
  // Both outlive it.
  Holds(const EntityRecord& record, Lanes& lanes) : record_(record), lanes_(lanes) {}

  // Null if it does not hold.
  const Lock* FindLock(LaneKind kind, const LockToken& token, Timestamp now) const;
  // What is said then.
  Status LockLost(LaneKind kind) const;
  // The session that is held by this token: SessionLockLost if none is.
  Result<Session*> FindSession(LaneKind kind, const LockToken& token, Timestamp now) const;
  // That of a message; null if it is in none that is held.
  const Session* SessionOf(LaneKind kind, const MessageFacts& facts) const;

 private:
  const EntityRecord& record_;
  Lanes& lanes_;
};

}  // namespace wharf
