// Tasks: what is to be planned in a later turn.
//
// The Agenda of a shard is one; tests run the turns by hand.
#pragma once

#include <cstddef>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

// Plans one request, or one step of a worker, as part of a turn.
using Task = absl::AnyInvocable<void(Turn&) &&>;

class Tasks {
 public:
  virtual ~Tasks() = default;
  // From any thread. Planned in a later turn, in the order of these calls; never refused, so for
  // what is bounded elsewhere. What it weighs counts for how many a turn takes.
  virtual void Post(Task task, std::size_t weight) = 0;
  void Post(Task task) { Post(std::move(task), 0); }
};

}  // namespace wharf
