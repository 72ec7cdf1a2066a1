// RetryPolicy: how long a message rests after a failed delivery (RTY-1, RTY-4).
//
// A plain value; part of a queue's description.
#pragma once

#include <cstdint>

#include "storage/base/random.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// The longest that a message can be delayed.
inline constexpr Duration kDelayMax = std::chrono::hours(24 * 7);

// The values are on disk.
enum class Backoff : std::uint8_t { kFixed = 1, kLinear = 2, kExponential = 3 };

struct RetryPolicy {
  Backoff backoff = Backoff::kFixed;
  // After the first failed delivery; after the n-th it is n times that (linear), or 2^(n-1) times
  // (exponential).
  Duration base = std::chrono::seconds(1);
  // Never more than this, but for the jitter.
  Duration cap = kDelayMax;
  // Up to this part of the wait is added or taken away by chance, from 0 to 1.
  double jitter = 0;

  // The wait after the `attempt`-th failed delivery, which counts from 1.
  Duration WaitAfter(std::uint32_t attempt, Random& random) const;

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

Status CheckRetryPolicy(const RetryPolicy& policy);

}  // namespace wharf
