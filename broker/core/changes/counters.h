// MessageCounts, LaneCounters: how many messages of each standing a lane has, and where its
// receivers stand.
//
// Entities keep them, each turn commits those that it changed, the turn's audit adds up the same
// from its changes, and a recount finds them again in the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/changes/shelf.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// What changes of messages change in the counters of a lane.
struct MessageCounts {
  // Messages at or above the cursor: never delivered.
  std::int64_t fresh = 0;
  // Messages with a lock.
  std::int64_t locked = 0;
  // Messages that are available again, or were moved here.
  std::int64_t returned = 0;
  std::int64_t delayed = 0;
  std::int64_t deferred = 0;
  // Some may not be messages any more: of what stands in a block that cannot be read only numbers
  // are known.
  std::int64_t quarantined = 0;
  // Bytes of all these messages. Those of quarantined ones whose size is not known are counted
  // until nothing else is in the lane.
  std::int64_t bytes = 0;
  // So many of these messages have their bodies in rows of their own; 0 as long as it is unknown.
  std::int64_t separate_bodies = 0;
  // The main lane counts them for the whole entity.
  std::int64_t scheduled = 0;
  std::int64_t scheduled_bytes = 0;
  // Something could not be read, and nobody knows where it was counted, or with how many bytes. So
  // nothing is concluded from what is counted of messages until the lane is empty or was recounted.
  bool is_uncertain = false;
  // False where an older version counted the messages, until the lane is empty or was recounted.
  bool knows_separate_bodies = true;

  // The count of the messages that stand there.
  std::int64_t& of(Standing standing);

  // No message has its body in rows of its own, for certain.
  bool has_no_separate_body() const {
    return separate_bodies == 0 && knows_separate_bodies && !is_uncertain;
  }
  std::int64_t messages() const {
    return fresh + locked + returned + delayed + deferred + quarantined;
  }
  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

// Part of every commit that changes them.
struct LaneCounters : MessageCounts {
  // Of the shelf that the lane's rows stand on. It comes first, where it makes no change larger.
  std::uint8_t generation = 0;
  // The next number to give; the main lane's counts for the whole entity.
  SequenceNumber next_number{1};
  // Of a partitioned entity's main lane, the same of the partitions 1, 2, ...; `next_number` is
  // that of partition 0.
  std::vector<SequenceNumber> next_numbers;
  // At or above it messages are read in order, and none was ever delivered but by its number.
  SequenceNumber cursor{1};

  // Behind the highest message that stopped being fresh out of order: by its number, or because it
  // could not be read. Of each partition, as far as there was one.
  std::vector<SequenceNumber> taken_ends;

  // What follows the main lane counts for the whole entity.
  //
  // Scheduled messages with lower numbers were purged.
  SequenceNumber scheduled_floor{1};
  // Bytes of the states of sessions (SST-4).
  std::int64_t session_state_bytes = 0;
  // The last send or receive (RTP-9).
  Timestamp accessed_at;
  // The last activity of any kind that keeps the entity from being idle (ADI-3).
  Timestamp active_at;

  // Behind it, and above the cursor, what is not fresh any more is gone.
  SequenceNumber taken_end(std::uint8_t partition) const {
    return partition < taken_ends.size() ? taken_ends[partition] : SequenceNumber();
  }
  // A message stopped being fresh out of order.
  void RaiseTakenEnd(SequenceNumber number);
  // Nobody knows which did.
  void ForgetTaken();

  // All that counts toward the quota.
  std::int64_t all_bytes() const { return bytes + scheduled_bytes + session_state_bytes; }
  friend bool operator==(const LaneCounters&, const LaneCounters&) = default;
};

}  // namespace wharf
