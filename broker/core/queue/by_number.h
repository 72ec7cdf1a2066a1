// ByNumber: messages that are named by their numbers: deferred ones, single ones out of order, and
// those that time or a job comes for.
//
// A reader found them, and what changed since was read again: `found` has every number that is
// asked for, as it is now. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/queue/receiving.h"
#include "broker/core/queue/settlement.h"

namespace wharf {

// An error if a number stands twice in a list that is done all or not at all.
Status CheckNamedOnce(const std::vector<SequenceNumber>& numbers);

class ByNumber {
 public:
  // All that it is made with outlives it.
  ByNumber(const EntityRecord& record, Lanes& lanes, Receiving& receiving, Expiry& expiry,
           DeadLetters& dead_letters)
      : record_(record),
        lanes_(lanes),
        receiving_(receiving),
        expiry_(expiry),
        dead_letters_(dead_letters) {}

  // Locks or takes deferred messages: all or none (DEF-3). Messages that turn out to have expired
  // are dropped or dead-lettered even if the call fails (TTL-14). `takes_large` as in
  // ReceiveDeferredRequest (requests/number_requests.h).
  Result<std::vector<Delivered>> ReceiveDeferred(LaneKind kind, ReceiveMode mode, HolderId holder,
                                                 const std::optional<LockToken>& session,
                                                 const std::vector<SequenceNumber>& numbers,
                                                 const FoundMessages& found, Timestamp now,
                                                 Changes& changes, bool takes_large = false);
  // Makes deferred messages available again: all or none (DFX-1).
  Status Undefer(LaneKind kind, const std::vector<SequenceNumber>& numbers,
                 const FoundMessages& found, Timestamp now, Changes& changes);
  // Locks or takes one waiting message out of order (ONE-1).
  Result<Delivered> ReceiveOne(LaneKind kind, ReceiveMode mode, HolderId holder,
                               const std::optional<LockToken>& session, SequenceNumber number,
                               const FoundMessages& found, Timestamp now, Changes& changes);
  // Completes or dead-letters a message that is not locked (ONE-1).
  Status SettleOne(LaneKind kind, SequenceNumber number, const Settlement& settlement,
                   const FoundMessages& found, Timestamp now, Changes& changes);
  // Deletes one if it waits; whether it did (BDL-4, BDL-6, PRG-2).
  bool DeleteWaiting(LaneKind kind, const FoundMessage& found, Timestamp now, Changes& changes);
  // Its delay is over.
  void EndDelay(LaneKind kind, const FoundMessage& found, Changes& changes);

 private:
  const EntityRecord& record_;
  Lanes& lanes_;
  Receiving& receiving_;
  Expiry& expiry_;
  DeadLetters& dead_letters_;
};

}  // namespace wharf
