// Arrivals: messages that come to an entity from others: forwarded to it, redriven to it, or copied
// to a subscription by its topic.
//
// The caller takes a message out where it was; here it enters, and the change is written. Owned by
// a Queue, used on the shard's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/core/queue/dead_letters.h"
#include "broker/core/queue/duplicates.h"
#include "broker/core/queue/entrance.h"
#include "broker/core/queue/placement.h"

namespace wharf {

class Arrivals {
 public:
  // What another entity gives up.
  using Departure = MessagePublished::Origin;

  // All that it is made with outlives it.
  Arrivals(const EntityRecord& record, Lanes& lanes, Placement& placement, const Quota& quota,
           Duplicates& duplicates, Entrance& entrance)
      : record_(record),
        lanes_(lanes),
        placement_(placement),
        quota_(quota),
        duplicates_(duplicates),
        entrance_(entrance) {}

  // Whether the entity takes anything now.
  Status Check() const { return entrance_.Check(); }

  // Why it does not take this one for good, though it takes messages (FWD-13); nothing: it does.
  std::optional<DeadLetterNote> RefusalOf(const StoredMessage& forwarded, Timestamp now) const;
  // It enters as if it had been sent (FWD-12, FWD-13), or is dropped because its id is known
  // (DUP-9). `known` has its id.
  void TakeForwarded(std::shared_ptr<StoredMessage> forwarded, const Departure& departure,
                     KnownIds& known, Timestamp now, Changes& changes);

  // Whether it takes this one back (RDR-2).
  Status CheckRedriven(const StoredMessage& redriven, Timestamp now) const;
  // It enters as a new one; its id is not looked at.
  void TakeRedriven(std::shared_ptr<StoredMessage> redriven, const Departure& departure,
                    Timestamp now, Changes& changes);

  // A copy of a message of the subscription's topic; `copy` says everything but what the
  // subscription gives it: number, session, time to live. One that it cannot take goes to its
  // dead-letter queue (RSN-4).
  void TakeCopy(std::shared_ptr<StoredMessage> copy, Timestamp now, Changes& changes);
  // The same for one that goes to the dead-letter queue anyway (RUL-8).
  void TakeDeadCopy(std::shared_ptr<StoredMessage> copy, std::string reason,
                    std::string description, Timestamp now, Changes& changes);

 private:
  const EntityRecord& record_;
  Lanes& lanes_;
  Placement& placement_;
  const Quota& quota_;
  Duplicates& duplicates_;
  Entrance& entrance_;
};

}  // namespace wharf
