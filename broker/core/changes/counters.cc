#include "broker/core/changes/counters.h"

#include <cassert>

namespace wharf {

std::int64_t& MessageCounts::of(Standing standing) {
  switch (standing) {
    case Standing::kFresh:
      return fresh;
    case Standing::kLocked:
      return locked;
    case Standing::kReturned:
      return returned;
    case Standing::kDelayed:
      return delayed;
    case Standing::kDeferred:
      return deferred;
    case Standing::kQuarantined:
      return quarantined;
  }
  assert(false);
  return fresh;
}

}  // namespace wharf
