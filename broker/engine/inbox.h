// Inbox: requests on their way to a shard; bounded, so that overload is told to callers instead of
// kept.
//
// What bounds it is weight. A message weighs one for each 4 KiB that it has, and so does any other
// request: a small one is more work than bytes. Filled by any thread, emptied by the shard's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "broker/engine/turn.h"
#include "storage/base/mutex.h"

namespace wharf {

// What so many bytes weigh.
inline constexpr std::size_t kBytesPerWeight = 4096;
constexpr std::size_t WeightOf(std::size_t bytes) {
  return bytes <= kBytesPerWeight ? 1 : (bytes + kBytesPerWeight - 1) / kBytesPerWeight;
}

// Plans one request as part of a turn.
using Task = absl::AnyInvocable<void(Turn&) &&>;

class Inbox {
 public:
  // Who may fill the inbox how far. Whoever settles makes room, and finds some when senders have
  // taken all of theirs.
  enum class Share : std::uint8_t { kOrdinary, kSettling };

  // `weight_max` bounds the sum of weights of what is waiting; settling may go to twice as much.
  explicit Inbox(std::size_t weight_max) : weight_max_(weight_max) {}

  // Makes room for a task; false if there is none. Must be followed by Push with the same weight.
  bool Reserve(std::size_t weight, Share share = Share::kOrdinary);
  // Never refused: for what was reserved, or, with weight 0, for what is bounded by what was handed
  // out before (granting credit, leaving, what a reader brings). True if the inbox was empty, so
  // that the shard must be woken.
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
