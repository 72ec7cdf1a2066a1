// Bounds of spans so small that a short test meets them.
#pragma once

#include "broker/core/queue/spans.h"
#include "storage/base/random.h"

namespace wharf {

inline SpanLimits SmallSpans(Random& random) {
  SpanLimits limits;
  limits.run.gap_max = random.Next() % 6;
  limits.run.exceptions_max = random.Next() % 8;
  limits.spans_max = 1 + random.Next() % 4;
  limits.exceptions_in_all_max = limits.run.exceptions_max + random.Next() % 8;
  limits.extended_exceptions_max = random.Next() % (limits.run.exceptions_max + 1);
  return limits;
}

}  // namespace wharf
