// GivenNumbers: which numbers an entity has given, as its counters say, and the rows that were
// seen.
//
// Part of a Recount, on a reader thread.
#pragma once

#include <map>
#include <optional>

#include "broker/core/changes/change.h"
#include "broker/core/order/partition.h"
#include "storage/base/time.h"

namespace wharf {

class GivenNumbers {
 public:
  // `now` bounds the numbers that the entity may have given.
  GivenNumbers(const EntityRecord& record, Timestamp now)
      : has_partitions_(record.description.enable_partitioning),
        created_at_(record.created_at),
        now_(now) {}

  // The counters of its main lane, if they can be read.
  void SetStored(std::optional<LaneCounters> stored) { stored_ = std::move(stored); }
  // A row has this number.
  void Note(SequenceNumber number);

  // Whether the counters say so; or they cannot be read, and nobody knows.
  bool WasGiven(SequenceNumber number) const;
  // The first number of these that a message may have; nothing: none, or nobody knows.
  std::optional<SequenceNumber> First(SequenceNumber from, SequenceNumber until) const;
  // The next numbers to give, as they are to be.
  void Complete(LaneCounters& counters) const;

 private:
  SequenceNumber NextOf(PartitionId partition, SequenceNumber stored) const;
  void CompletePartitions(LaneCounters& counters) const;

  bool has_partitions_;
  Timestamp created_at_;
  Timestamp now_;
  std::optional<LaneCounters> stored_;
  // The highest that was seen in each partition.
  std::map<PartitionId, SequenceNumber> highest_;
};

}  // namespace wharf
