// IdleWatch: deletes queues that were not used for long enough (ADI-1..15).
//
// Keeps one deadline a queue and looks at the queue when it has come: what was used meanwhile has a
// later one. Owned by the Shard, used on its thread.
#pragma once

#include <utility>
#include <vector>

#include "broker/engine/delivery/waiting.h"
#include "broker/engine/entities/entity_eraser.h"
#include "broker/engine/turn/deadlines.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/topics/topics.h"

namespace wharf {

class IdleWatch final : public TimedWorker, public EntityListener, public EntityEndListener {
 public:
  // `waiting` knows of what waits to receive.
  IdleWatch(const WorkerContext& context, const Topics& topics, std::vector<const Waiting*> waiting,
            EntityEraser& eraser)
      : context_(context), topics_(topics), waiting_(std::move(waiting)), eraser_(eraser) {}

  // Time in which the broker did not serve does not count, and every queue has at least five
  // minutes left (ADI-15).
  void Start(Timestamp now, Timestamp last_committed);

  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override { return deadlines_.next(); }
  void OnEntityChanged(Queue& queue, Turn& turn) override;
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;

 private:
  void Track(const Queue& queue, Timestamp now);
  bool IsWaitedOn(EntityId entity) const;
  // When the entity was used last, as far as that is over.
  Timestamp UsedAt(const Queue& queue) const;
  void Look(EntityId entity, Turn& turn);
  void NoteUse(Queue& queue, Turn& turn);

  const WorkerContext context_;
  const Topics& topics_;
  const std::vector<const Waiting*> waiting_;
  EntityEraser& eraser_;
  Deadlines<EntityId> deadlines_;
};

}  // namespace wharf
