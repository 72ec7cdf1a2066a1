// Serial numbers of RFC 1982: 32 bits that wrap, compared by the shorter way around.
//
// Inside, deliveries have numbers of 64 bits that never wrap; on the wire stand their low halves.
#pragma once

#include <cstdint>

namespace wharf::amqp {

// How far `one` is ahead of `other`; negative if it is behind.
constexpr std::int32_t SerialDistance(std::uint32_t one, std::uint32_t other) {
  return static_cast<std::int32_t>(one - other);
}

constexpr bool SerialLess(std::uint32_t one, std::uint32_t other) {
  return SerialDistance(one, other) < 0;
}

// The first number of a row that begins with `first` on the wire. Half a turn below it is still a
// number, so that nothing a peer names is negative.
constexpr std::uint64_t FirstNumber(std::uint32_t first) {
  return (std::uint64_t{1} << 32) | first;
}

// The number that `wire` means, next to one that is known.
constexpr std::uint64_t NumberNear(std::uint64_t known, std::uint32_t wire) {
  return known + static_cast<std::uint64_t>(
                     std::int64_t{SerialDistance(wire, static_cast<std::uint32_t>(known))});
}

}  // namespace wharf::amqp
