// Inbox: what is to be planned, on its way to a shard.
//
// Requests are admitted before they come here (admissions.h). All else is bounded where it begins:
// readers bring what the shard asked for, an upload has few rows under way, and what a door says to
// a receiver is added up (receiver_link.h). Filled by any thread, emptied by the shard's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/engine/turn/tasks.h"
#include "storage/base/mutex.h"

namespace wharf {

class Inbox {
 public:
  // What it weighs counts for how many are taken at a time. True if the inbox was empty, so that
  // the shard must be woken.
  bool Push(Task task, std::size_t weight);

  // The oldest tasks, up to `weight_max` but at least one.
  std::vector<Task> Take(std::size_t weight_max);
  bool empty() const;

 private:
  struct Waiting {
    Task task;
    std::size_t weight;
  };

  mutable Mutex mutex_;
  std::vector<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
