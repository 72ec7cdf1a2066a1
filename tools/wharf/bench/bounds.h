// What all measurements share: how long they wait, how much they fetch, how much a queue may hold.
#pragma once

#include <chrono>
#include <cstdint>

namespace wharf::tool {

// Without a single message or answer in this time nothing is to be expected any more.
inline constexpr std::chrono::seconds kPatience(30);
// Messages on the way to one receiver.
inline constexpr std::uint32_t kPrefetch = 4096;
// The quota of a queue that is to take whatever is sent.
inline constexpr std::int64_t kNoQuotaMegabytes = std::int64_t{1} << 30;

}  // namespace wharf::tool
