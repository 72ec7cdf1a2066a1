#include "broker/engine/turn/agenda.h"

namespace wharf {

void Agenda::Post(Task task, std::size_t weight) {
  if (inbox_.Push(std::move(task), weight)) wake_();
}

void Agenda::PlanTasks(std::size_t weight_max, Turn& turn) {
  if (taken_.empty()) {
    for (Task& task : inbox_.Take(weight_max)) taken_.push_back(std::move(task));
  }
  while (!taken_.empty() && !turn.is_full()) {
    Task task = std::move(taken_.front());
    taken_.pop_front();
    std::move(task)(turn);
  }
}

void Agenda::PlanAwaitingDue(Turn& turn) {
  for (Task& task : std::exchange(awaiting_due_, {})) std::move(task)(turn);
}

}  // namespace wharf
