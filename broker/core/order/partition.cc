#include "broker/core/order/partition.h"

namespace wharf {
namespace {

// FNV-1a of 64 bits, by its publication. The hashes of the libraries we link may change with their
// versions, and differ from one run to the next.
std::uint64_t Fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

// Its low bits alone would depend on the low bits of each byte alone, so all are folded into four.
PartitionId PartitionOfKey(std::string_view key) {
  std::uint64_t hash = Fnv1a(key);
  for (const int half : {32, 16, 8, 4}) hash ^= hash >> half;
  return static_cast<PartitionId>(hash % kPartitions);
}

}  // namespace wharf
