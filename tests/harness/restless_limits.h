// Limits under which a short test meets what takes a broker long: it looks for what has expired at
// once, and its spans are small.
#pragma once

#include "broker/engine/shard_limits.h"
#include "storage/base/random.h"
#include "tests/harness/small_spans.h"

namespace wharf {

inline ShardLimits RestlessLimits(Random& random) {
  ShardLimits limits;
  limits.broker.queue.look_pause = {};
  limits.broker.queue.lane.spans = SmallSpans(random);
  limits.broker.queue.lane.spans.run.count_min = 2;
  limits.expiry_grain = {};
  return limits;
}

}  // namespace wharf
