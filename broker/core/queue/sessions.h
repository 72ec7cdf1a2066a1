// Sessions: which receivers hold the sessions of an entity: accepting, keeping, giving them up.
//
// Which sessions there are and what waits in them is the SessionBook's business. But for
// CheckAccept, only of an entity with sessions. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/core/order/session_token.h"
#include "broker/core/queue/holds.h"
#include "broker/core/queue/queue_limits.h"
#include "broker/core/queue/redelivery.h"

namespace wharf {

class Sessions {
 public:
  // All that it is made with outlives it.
  Sessions(const EntityRecord& record, const QueueLimits& limits, Random& random, Lanes& lanes,
           const Holds& holds, Expiry& expiry, Redelivery& redelivery)
      : record_(record),
        limits_(limits),
        random_(random),
        lanes_(lanes),
        holds_(holds),
        expiry_(expiry),
        redelivery_(redelivery) {}

  // Whether a receiver may accept this one (SES-4), or the next one.
  Status CheckAccept(LaneKind kind, const std::optional<std::string>& session) const;
  // SessionCannotBeLocked if another receiver holds it.
  Result<Session*> Accept(const std::string& session, HeldBy held_by, Timestamp now,
                          Changes& changes);
  // Whether there may be a next session, and room for one more.
  bool MayAcceptNext() const;
  // The session with the lowest message to deliver (SES-6). Null if there is none, or if something
  // must be read to tell.
  Session* AcceptNext(HeldBy held_by, Timestamp now, Changes& changes);
  // Until when the lock holds now.
  Result<Timestamp> Renew(LaneKind kind, const LockToken& token, Timestamp now, Changes& changes);
  // Takes back what is in flight, up to `count_max` messages, and gives the session up when that is
  // done; then true. Tokens whose messages must be read first go to `need_content`; they are done
  // when `contents` has them.
  bool End(Session& session, SessionEndCause cause, const Contents& contents, std::size_t count_max,
           Timestamp now, Changes& changes, std::vector<LockToken>& need_content);

 private:
  SessionBook& book() { return *lanes_.main().sessions(); }
  const SessionBook& book() const { return *lanes_.main().sessions(); }
  Session& Hold(const std::string& session, HeldBy held_by, Timestamp now, Changes& changes);

  const EntityRecord& record_;
  const QueueLimits& limits_;
  Random& random_;
  Lanes& lanes_;
  const Holds& holds_;
  Expiry& expiry_;
  Redelivery& redelivery_;
};

}  // namespace wharf
