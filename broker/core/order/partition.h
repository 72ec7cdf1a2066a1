// Partition: which part of a partitioned entity a message goes to (PAR-1..7).
//
// A partitioned entity has 16 parts. Each has numbers of its own: the id of the partition in the 16
// high bits, and a gap-free counter from 1 in the 48 low bits (SEQ-3). An entity without is
// partition 0. Plain functions.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "storage/base/ids.h"

namespace wharf {

using PartitionId = std::uint8_t;

inline constexpr PartitionId kPartitions = 16;

// Of all messages with this key. The same in every version of the broker and on every machine:
// messages with a key that wait already are in the partition that it gave before.
PartitionId PartitionOfKey(std::string_view key);

constexpr PartitionId PartitionOf(SequenceNumber number) {
  return static_cast<PartitionId>(number.value() >> 48);
}

constexpr SequenceNumber FirstNumberOf(PartitionId partition) {
  return SequenceNumber((std::uint64_t{partition} << 48) + 1);
}

// In this order what is counted alike in its partition stands together, so that no partition goes
// before the others; without partitions it is the order of the numbers.
constexpr std::uint64_t CountFirst(SequenceNumber number) { return std::rotl(number.value(), 16); }
constexpr SequenceNumber NumberOfCountFirst(std::uint64_t value) {
  return SequenceNumber(std::rotr(value, 16));
}

}  // namespace wharf
