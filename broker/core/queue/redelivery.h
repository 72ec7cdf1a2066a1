// Redelivery: what happens to a message whose lock ends before its receiver is done with it.
//
// It comes back, rests, is deferred, expires, or has failed too often (CNT-3, CNT-4, CNT-6, CNT-12,
// MAX-2, TTL-8, STA-4, RTY-3). Owned by a Queue, used on the shard's thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "broker/core/queue/expiry.h"
#include "broker/core/queue/fate.h"
#include "storage/base/random.h"

namespace wharf {

// How it ends.
struct LockEnd {
  ReturnCause cause;
  // Null: nothing to change.
  const PropertyMap* properties = nullptr;
  std::optional<Timestamp> available_at{};
};

// The properties that receivers have changed, with these changed as well.
std::shared_ptr<const PropertyMap> ChangedWith(const Delivery& delivery,
                                               const PropertyMap& changes);

class Redelivery {
 public:
  // All that it is made with outlives it.
  Redelivery(const EntityRecord& record, Random& random, Lanes& lanes, Expiry& expiry,
             DeadLetters& dead_letters)
      : record_(record),
        random_(random),
        lanes_(lanes),
        expiry_(expiry),
        dead_letters_(dead_letters) {}

  // What becomes of the message if its lock ends so.
  Fate FateOf(LaneKind kind, const Lock& lock, Ending ending, Timestamp now) const;
  // Ends the lock with the fate that was told, which leaves something to do: it was not settled as
  // its receiver wished. `contents` has the message if it moves.
  void End(LaneKind kind, const LockToken& token, Fate fate, const LockEnd& end,
           const Contents& contents, Timestamp now, Changes& changes);

  // Ends locks whose time is over, up to `count_max`. Returns locks that need content first; they
  // are left to ExpireLock.
  std::vector<LockToken> ExpireLocks(LaneKind kind, Timestamp now, std::size_t count_max,
                                     Changes& changes);
  // False if the lock should end and cannot, because its content is not in `contents`.
  bool ExpireLock(LaneKind kind, const LockToken& token, const Contents& contents, Timestamp now,
                  Changes& changes);

 private:
  void Rest(LaneKind kind, const LockToken& token, Delivery delivery, const LockEnd& end,
            Timestamp now, Changes& changes);
  void Drop(const LockToken& token, Changes& changes);

  const EntityRecord& record_;
  Random& random_;
  Lanes& lanes_;
  Expiry& expiry_;
  DeadLetters& dead_letters_;
};

}  // namespace wharf
