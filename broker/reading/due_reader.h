// Reads what has become due, and when the next thing will be.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/queue/lane.h"
#include "storage/store.h"

namespace wharf {

// A hint, and what is there of the message that it speaks of.
struct DueMessage {
  DueHint hint;
  // kActivate: the scheduled message, as a fresh one. Nothing if it is gone.
  std::optional<FoundMessage> found;
};
struct DueBatch {
  // In the order of their times.
  std::vector<DueMessage> messages;
  // The time of the first hint that is not among them, as far as `horizon`; kNever: none up to
  // there.
  Timestamp next = kNever;
};
// Hints from `from` on that are due by `now`, up to `messages_max` and about `bytes_max`.
Result<DueBatch> ReadDue(const StoreView& view, const DueHint& from, Timestamp now,
                         Timestamp horizon, std::size_t messages_max, std::size_t bytes_max);

}  // namespace wharf
