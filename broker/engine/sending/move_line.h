// MoveLine: bounds how many messages are on their way from one lane to another.
//
// A message that moves, to the dead-letter queue, is read from the store and carried in full by the
// changes, the batch and the log, while all others are only named there. So messages move in steps
// of at most kMessagesPerStep, and a few steps are under way at a time, each from its read to its
// commit; the others stand in line. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <deque>

#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

class MoveLine {
 public:
  static constexpr std::size_t kMessagesPerStep = 256;

  explicit MoveLine(Tasks& tasks) : tasks_(tasks) {}

  // Begins the step in this turn, or later, when one that is under way has left. Each step must
  // leave once.
  void Enter(Turn& turn, Task step);
  // The step is planned; it is over when this turn is published.
  void Leave(Turn& turn);

 private:
  static constexpr std::size_t kStepsMax = 4;

  void BeginNext();

  Tasks& tasks_;
  std::size_t under_way_ = 0;
  std::deque<Task> waiting_;
};

}  // namespace wharf
