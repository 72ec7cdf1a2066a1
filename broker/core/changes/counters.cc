#include "broker/core/changes/counters.h"

#include <algorithm>
#include <cassert>

#include "broker/core/order/partition.h"

namespace wharf {

std::int64_t& MessageCounts::of(Standing standing) {
  switch (standing) {
    case Standing::kFresh:
      return fresh;
    case Standing::kLocked:
      return locked;
    case Standing::kReturned:
      return returned;
    case Standing::kDelayed:
      return delayed;
    case Standing::kDeferred:
      return deferred;
    case Standing::kQuarantined:
      return quarantined;
  }
  assert(false);
  return fresh;
}

void LaneCounters::RaiseTakenEnd(SequenceNumber number) {
  const PartitionId partition = PartitionOf(number);
  if (partition >= kPartitions) return;
  if (taken_ends.size() <= partition) taken_ends.resize(partition + 1U);
  taken_ends[partition] = std::max(taken_ends[partition], number.Next());
}

void LaneCounters::ForgetTaken() {
  taken_ends = {next_number};
  taken_ends.insert(taken_ends.end(), next_numbers.begin(), next_numbers.end());
}

}  // namespace wharf
