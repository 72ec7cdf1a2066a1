#include "broker/core/order/partition.h"

#include "storage/base/fnv1a.h"

namespace wharf {

// Its low bits alone would depend on the low bits of each byte alone, so all are folded into four.
PartitionId PartitionOfKey(std::string_view key) {
  std::uint64_t hash = Fnv1a(key);
  for (const int half : {32, 16, 8, 4}) hash ^= hash >> half;
  return static_cast<PartitionId>(hash % kPartitions);
}

}  // namespace wharf
