// Reads the messages that share a hint, as far as they have expired.
//
// The hint says from which number on they stand in their lane, among others, and by what they are
// known; where they end the lane tells. Used on reader threads, by due_reader and run_walk; each
// call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/queue/lane.h"
#include "broker/reading/due_reader.h"
#include "broker/schema/message_record.h"
#include "storage/store.h"

namespace wharf {

// Whether the hint stands for the message, which is in its lane.
bool IsMeant(const SharedHint& shared, SequenceNumber number, const MessageHead& message);
bool IsMeant(const SharedHint& shared, const StoredMessage& message);
// When to come for a message that lives on, and for all behind it.
Timestamp TimeOfRest(const SharedHint& shared, Timestamp expires_at, Timestamp now, Duration grain);

struct SharedMessages {
  // In the order of their numbers. One that cannot be read is met by a receiver, and is not here.
  std::vector<FoundMessage> messages;
  // As in DueShared: at the hint's time, what there was no room for, else what expires later.
  std::optional<SharedHint> rest;
};
// Those that have expired by `now`; at least one message is looked at.
Result<SharedMessages> ReadShared(const StoreView& view, const SharedHint& shared, Timestamp now,
                                  const DueBounds& bounds);

}  // namespace wharf
