// Duplicates: whether the id of a message was accepted before, within the time for which it is
// remembered (DUP-1..11).
//
// What was accepted stands in the store, so the sender brings what is known of the ids (KnownIds)
// and it learns the new ones. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>

#include "broker/core/messages/known_ids.h"
#include "broker/core/queue/lane.h"

namespace wharf {

class Duplicates {
 public:
  // Both outlive it; the main lane tells the watches that look ids up.
  Duplicates(const EntityRecord& record, Lane& main) : record_(record), main_(main) {}

  // What is compared of the message; nothing if the entity does not look at it (DUP-11).
  std::optional<DuplicateId> IdOf(const Message& message) const;
  // GeneralError if it cannot be read whether the message's id was accepted before.
  Status Check(const Message& message, const KnownIds& known) const;
  // The number of the message that has this one's id; null if it is new.
  const SequenceNumber* Find(const Message& message, const KnownIds& known, Timestamp now) const;
  void Remember(const StoredMessage& stored, bool is_scheduled, KnownIds& known, Timestamp now,
                Changes& changes);

 private:
  const EntityRecord& record_;
  Lane& main_;
};

}  // namespace wharf
