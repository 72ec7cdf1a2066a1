#include "broker/core/queue/fate.h"

namespace wharf {

// A dead letter neither expires nor fails too often, and never becomes one again.
Fate FateOf(const QueueDescription& description, const LockFacts& lock, Ending ending) {
  if (ending == Ending::kCompleted) return Fate::kIsDone;
  if (lock.kind == LaneKind::kDeadLetter) return Fate::kStays;
  if (ending == Ending::kDeadLettered) return Fate::kIsDeadLettered;
  if (lock.has_expired) {
    return description.dead_lettering_on_message_expiration ? Fate::kExpires : Fate::kIsDropped;
  }
  const bool is_last =
      lock.delivery_count + 1 >= static_cast<std::uint32_t>(description.max_delivery_count);
  return ending == Ending::kFailed && is_last ? Fate::kHasFailed : Fate::kStays;
}

}  // namespace wharf
