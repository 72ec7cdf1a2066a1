// Settling: what receivers do by token with messages that they hold.
//
// Each verb rests on one evaluation of the lock: the check that changes nothing, which transactions
// ask first, the question what must be read, and the doing all use it. So none can say another
// thing than the others. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>

#include "broker/core/queue/holds.h"
#include "broker/core/queue/redelivery.h"
#include "broker/core/queue/settlement.h"

namespace wharf {

class Settling {
 public:
  // All that it is made with outlives it.
  Settling(const EntityRecord& record, Lanes& lanes, const Holds& holds, DeadLetters& dead_letters,
           Redelivery& redelivery)
      : record_(record),
        lanes_(lanes),
        holds_(holds),
        dead_letters_(dead_letters),
        redelivery_(redelivery) {}

  // What Settle would say if it had its contents. What is let pass is so for the rest of the turn,
  // whatever else is done in it with other tokens.
  Status Check(LaneKind kind, const LockToken& token, const Settlement& settlement,
               Timestamp now) const;
  // The message whose content must be read before Settle, if any.
  std::optional<SequenceNumber> NeedsContent(LaneKind kind, const LockToken& token,
                                             const Settlement& settlement, Timestamp now) const;
  // The same; also where another settlement of the same turn may make it so.
  std::optional<SequenceNumber> MayNeedContent(LaneKind kind, const LockToken& token,
                                               const Settlement& settlement, Timestamp now) const;
  // `contents` has what NeedsContent asked for.
  Status Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                const Contents& contents, Timestamp now, Changes& changes);

  // What RenewLock would say.
  Status CheckRenewLock(LaneKind kind, const LockToken& token, Timestamp now) const;
  // Until when the lock holds now.
  Result<Timestamp> RenewLock(LaneKind kind, const LockToken& token, Timestamp now,
                              Changes& changes);

 private:
  // The evaluation.
  struct Outlook {
    // Null if it does not hold.
    const Lock* lock = nullptr;
    Fate fate = Fate::kStays;
  };
  Outlook Look(LaneKind kind, const LockToken& token, SettleVerb verb, Timestamp now) const;
  // Why it is not done; OK if it may be.
  Status RefusalOf(LaneKind kind, const Outlook& outlook, const Settlement& settlement,
                   Timestamp now) const;

  const EntityRecord& record_;
  Lanes& lanes_;
  const Holds& holds_;
  DeadLetters& dead_letters_;
  Redelivery& redelivery_;
};

}  // namespace wharf
