// Scheduled: messages that wait for their time: cancelling, moving and activating them (SCH-1..13).
//
// They stand in the store, not in memory: `found` has those that are there. All verbs are done for
// all numbers that are named, or for none (SCH-4). One that cannot be read can only be cancelled,
// or goes into quarantine when its time comes. Owned by a Queue, used on the shard's thread.
#pragma once

#include <memory>
#include <vector>

#include "broker/core/queue/entrance.h"
#include "broker/core/queue/found.h"
#include "broker/core/queue/placement.h"

namespace wharf {

class Scheduled {
 public:
  // All that it is made with outlives it.
  Scheduled(const EntityRecord& record, Lane& main, Placement& placement, Entrance& entrance)
      : record_(record), main_(main), placement_(placement), entrance_(entrance) {}

  // One that was just accepted waits from now on.
  void Add(std::shared_ptr<StoredMessage> stored, Timestamp time, Changes& changes);

  // Also of those that cannot be read.
  Status Cancel(const std::vector<SequenceNumber>& numbers, const FoundScheduled& found,
                Timestamp now, Changes& changes);
  Status Reschedule(const std::vector<SequenceNumber>& numbers, Timestamp time,
                    const FoundScheduled& found, Timestamp now, Changes& changes);
  // Each gets a new number, as if it had been sent now (SCH-5).
  Result<std::vector<SequenceNumber>> Activate(const std::vector<SequenceNumber>& numbers,
                                               const FoundScheduled& found, Timestamp now,
                                               Changes& changes);
  // Its time has come, and it cannot be read: it goes into quarantine in the main lane, which a
  // topic has none of; there it stays scheduled, to be cancelled.
  void Quarantine(SequenceNumber number, UnreadableScheduled unreadable, Timestamp now,
                  Changes& changes);

 private:
  Status CheckFound(const std::vector<SequenceNumber>& numbers, const FoundScheduled& found) const;
  Status CheckReadable(const std::vector<SequenceNumber>& numbers,
                       const FoundScheduled& found) const;
  // Its new number.
  SequenceNumber ActivateOne(const MessagePtr& scheduled, Timestamp now, Changes& changes);

  const EntityRecord& record_;
  Lane& main_;
  Placement& placement_;
  Entrance& entrance_;
};

}  // namespace wharf
