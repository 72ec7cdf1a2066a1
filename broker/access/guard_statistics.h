// GuardStatistics: who was refused since the broker started. A plain value.
#pragma once

#include <cstdint>

namespace wharf::access {

struct GuardStatistics {
  // Calls without a token that holds, and requests beyond what one gives.
  std::uint64_t unauthorized = 0;
  std::uint64_t forbidden = 0;
  // Whether callers have to prove anything.
  bool is_obeyed = false;
};

}  // namespace wharf::access
