#include "broker/engine/entities/closed_waits.h"

#include <utility>

#include "broker/core/queue/gates.h"

namespace wharf {

ClosedWaits::Id ClosedWaits::Add(EntityId entity, Answered answer) {
  waits_[entity].emplace(++last_, std::move(answer));
  return {entity, last_};
}

void ClosedWaits::End(const Id& id, Turn& turn) {
  const auto of_entity = waits_.find(id.entity);
  if (of_entity == waits_.end()) return;
  auto ended = of_entity->second.extract(id.number);
  if (ended.empty()) return;
  if (of_entity->second.empty()) waits_.erase(of_entity);
  Waits one;
  one.insert(std::move(ended));
  Tell(std::move(one), {}, turn);
}

void ClosedWaits::EndAll(const Status& reason, Turn& turn) {
  for (auto& [entity, waits] : std::exchange(waits_, {})) Tell(std::move(waits), reason, turn);
}

void ClosedWaits::OnEntityChanged(Queue& queue, Turn& turn) {
  const Status takes = CheckSend(queue.record());
  if (!takes.ok()) OnEntityDeleted(queue.id(), takes, turn);
}

void ClosedWaits::OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) {
  auto ended = waits_.extract(entity);
  if (!ended.empty()) Tell(std::move(ended.mapped()), reason, turn);
}

void ClosedWaits::Tell(Waits waits, const Status& reason, Turn& turn) {
  turn.Tell([waits = std::move(waits), reason](const Status& committed) mutable {
    for (auto& [number, answer] : waits) {
      const Status& told = committed.ok() ? reason : committed;
      std::move(answer)(told.ok() ? Result<std::monostate>(std::monostate()) : told);
    }
  });
}

}  // namespace wharf
