// Reads: how a worker gets to see rows of the store, for which the shard's thread never waits.
//
// What was read is planned in a later turn: by then it may be out of date, and a worker watches
// what it reads (broker/core/changes/watch.h). StoreReads is one; tests hold reads back or fail
// them.
#pragma once

#include <utility>

#include "absl/functional/any_invocable.h"
#include "broker/engine/turn/tasks.h"
#include "broker/reading/readers.h"
#include "storage/store.h"

namespace wharf {

class Reads {
 public:
  // Runs on a reader's thread; the task that it returns knows what was found.
  using Work = absl::AnyInvocable<Task(const StoreView& view)>;

  virtual ~Reads() = default;
  // Reads when this turn is committed. Also after a failed commit: the shard is closed then, and
  // callers that wait for the read are told so by the task.
  virtual void ReadAfter(Turn& turn, Urgency urgency, Work work) = 0;
  void ReadAfter(Turn& turn, Work work) { ReadAfter(turn, Urgency::kAwaited, std::move(work)); }
};

}  // namespace wharf
