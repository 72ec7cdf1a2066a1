// Agenda: what the next turns of a shard plan, and in which order.
//
// First what found no room in the turn before, then what was posted, the oldest first; behind all
// that waits until nothing is due. Owned by the Shard: posted to from any thread, the rest is used
// on the shard's.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "broker/engine/turn/inbox.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

class Agenda final : public Tasks {
 public:
  // `wake` is called where a task is posted while none waits; it asks for a turn.
  explicit Agenda(std::function<void()> wake) : wake_(std::move(wake)) {}

  using Tasks::Post;
  void Post(Task task, std::size_t weight) override;

  // For tasks, while they plan: plans `then` in the first turn that leaves nothing undone of what
  // is due when it starts.
  void AwaitDue(Task then) { awaiting_due_.push_back(std::move(then)); }

  // Plans until the turn is full, at most `weight_max` of what was posted. What a request weighs is
  // not what it makes: one message to a topic has many copies.
  void PlanTasks(std::size_t weight_max, Turn& turn);
  bool awaits_due() const { return !awaiting_due_.empty(); }
  // Nothing is due any more.
  void PlanAwaitingDue(Turn& turn);
  // Whether there is work for another turn.
  bool has_more() const { return !taken_.empty() || !inbox_.empty(); }

 private:
  const std::function<void()> wake_;
  Inbox inbox_;
  // From there, for the next turn.
  std::deque<Task> taken_;
  std::vector<Task> awaiting_due_;
};

}  // namespace wharf
