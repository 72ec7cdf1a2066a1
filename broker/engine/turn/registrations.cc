#include "broker/engine/turn/registrations.h"

#include <algorithm>

namespace wharf {

void Registrations::PlanDue(Turn& turn) {
  for (TimedWorker* worker : timed_) worker->PlanDue(turn);
}

Timestamp Registrations::next_deadline() const {
  Timestamp next = kNever;
  for (const TimedWorker* worker : timed_) next = std::min(next, worker->next_deadline());
  return next;
}

bool Registrations::HasDue(Timestamp now) const {
  return next_deadline() <= now || std::any_of(busy_.begin(), busy_.end(), [](const auto* worker) {
           return worker->is_busy();
         });
}

void Registrations::TellChanged(Queue& queue, Turn& turn) {
  for (EntityListener* listener : changes_) listener->OnEntityChanged(queue, turn);
}

void Registrations::TellDeleted(EntityId entity, const Status& reason, Turn& turn) {
  for (EntityEndListener* listener : ends_) listener->OnEntityDeleted(entity, reason, turn);
}

}  // namespace wharf
