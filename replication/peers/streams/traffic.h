// Traffic: the two kinds of messages between nodes, each with a stream and a queue of its own, so
// that a heartbeat never waits behind megabytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wharf {

// Numbers are on the wire.
enum class Traffic : std::uint8_t {
  kSmall = 1,  // Heartbeats, votes, answers.
  kBulk = 2,   // Appends with entries, pieces of snapshots.
};

inline constexpr std::array kAllTraffic = {Traffic::kSmall, Traffic::kBulk};

constexpr std::size_t IndexOf(Traffic traffic) { return traffic == Traffic::kSmall ? 0 : 1; }

// Of one message; a part of the protocol. A reader believes no more, and keeps no more.
constexpr std::size_t MessageBytesMax(Traffic traffic) {
  return traffic == Traffic::kSmall ? 64 << 10 : 4 << 20;
}

constexpr std::string_view ToText(Traffic traffic) {
  return traffic == Traffic::kSmall ? "small" : "bulk";
}

}  // namespace wharf
