// Inbox: requests on their way to a shard; bounded, so that overload is told to callers instead of
// kept.
//
// Filled by any thread, emptied by the shard's.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "broker/engine/turn.h"
#include "storage/base/mutex.h"

namespace wharf {

// Plans one request as part of a turn.
using Task = absl::AnyInvocable<void(Turn&) &&>;

class Inbox {
 public:
  // `weight_max` bounds the sum of weights of what is waiting; a task weighs as many as the
  // messages it brings.
  explicit Inbox(std::size_t weight_max) : weight_max_(weight_max) {}

  // Makes room for a task; false if there is none. Must be followed by Push with the same weight.
  bool Reserve(std::size_t weight);
  // Never refused: for what was reserved, or, with weight 0, for what is bounded by what was handed
  // out before (settling, granting credit, leaving). True if the inbox was empty, so that the shard
  // must be woken.
  bool Push(Task task, std::size_t weight);

  // The oldest tasks, up to `weight_max` but at least one.
  std::vector<Task> Take(std::size_t weight_max);
  bool empty() const;

 private:
  struct Waiting {
    Task task;
    std::size_t weight;
  };

  const std::size_t weight_max_;
  mutable Mutex mutex_;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  std::size_t weight_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf
