#include "broker/core/queue/message_run.h"

#include "broker/core/order/partition.h"

namespace wharf {

bool MessageRun::CanBeFollowedBy(SequenceNumber number, Between between) const {
  if (number <= last || PartitionOf(number) != PartitionOf(last)) return false;
  if (between == Between::kGone) return true;
  const std::uint64_t gap = number.value() - last.value() - 1;
  return gap <= limits.gap_max && exceptions.size() + gap <= limits.exceptions_max;
}

bool MessageRun::Extend(SequenceNumber number, std::int64_t message_bytes, Between between) {
  if (count == 0) {
    first = number;
  } else if (!CanBeFollowedBy(number, between)) {
    return false;
  } else if (between == Between::kUnknown) {
    for (SequenceNumber gap = last.Next(); gap < number; gap = gap.Next()) {
      exceptions.push_back(gap);
    }
  }
  last = number;
  ++count;
  bytes += message_bytes;
  return true;
}

}  // namespace wharf
