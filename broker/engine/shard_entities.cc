// Which queue a path names, and what creating, changing, deleting and purging it takes.

#include <fmt/core.h>

#include "broker/engine/shard.h"

namespace wharf {

Result<Shard::Target> Shard::Resolve(std::string_view path) const {
  if (closed_) return *closed_;
  const Address address = ParseAddress(path);
  Result<Queue*> queue = catalog_.Find(address.entity);
  if (!queue.ok()) return queue.status();
  return Target{*queue, LaneId{(*queue)->record().id, address.lane}};
}

Status CheckSendTarget(LaneId lane) {
  if (lane.kind == LaneKind::kMain) return {};
  return {ErrorCode::kInvalidOperation,
          "messages cannot be sent to a dead-letter queue; send to its entity"};
}

Result<Shard::Target> Shard::ResolveEntity(std::string_view name) const {
  if (closed_) return *closed_;
  Result<Queue*> queue = catalog_.Find(FoldPath(name));
  if (!queue.ok()) return queue.status();
  return Target{*queue, LaneId{(*queue)->record().id, LaneKind::kMain}};
}

Result<Queue*> Shard::CreateQueue(QueueDescription description, Turn& turn) {
  if (closed_) return *closed_;
  Result<Queue*> queue = catalog_.CreateQueue(std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  Touch((*queue)->lane(LaneKind::kMain).id());
  idle_.Track((*queue)->record().id, turn.now);
  return queue;
}

Result<Queue*> Shard::UpdateQueue(QueueDescription description, Turn& turn) {
  if (closed_) return *closed_;
  Result<Queue*> queue = catalog_.UpdateQueue(std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  const EntityId id = (*queue)->record().id;
  if (Status allowed = (*queue)->CheckReceive(); !allowed.ok()) {
    dispatcher_.DetachAll(id, allowed, turn);
    desk_.Refuse(id, allowed, turn);
  }
  idle_.Track(id, turn.now);
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) Touch({id, kind});
  return queue;
}

Status Shard::DeleteQueue(std::string_view name, Turn& turn) {
  if (closed_) return *closed_;
  Result<EntityId> id = catalog_.DeleteQueue(name, turn.changes);
  if (!id.ok()) return id.status();
  const Status reason(ErrorCode::kMessagingEntityNotFound,
                      fmt::format("the entity '{:.300}' was deleted", name));
  dispatcher_.DetachAll(*id, reason, turn);
  desk_.Refuse(*id, reason, turn);
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) Touch({*id, kind});
  idle_.Track(*id, turn.now);
  reclaimer_.ReclaimEntity(*id, turn);
  return {};
}

Result<std::int64_t> Shard::PurgeQueue(const Target& target, bool with_scheduled, Turn& turn) {
  const LaneKind kind = target.lane.kind;
  if (with_scheduled && kind == LaneKind::kDeadLetter) {
    return Status(ErrorCode::kInvalidOperation, "a dead-letter queue has no scheduled messages");
  }
  const Shelf shelf = target.queue->lane(kind).shelf();
  const Result<std::uint8_t> generation = reclaimer_.NextGeneration(shelf);
  if (!generation.ok()) return generation.status();
  const std::int64_t purged =
      target.queue->Purge(kind, *generation, with_scheduled, turn.now, turn.changes);
  Touch(target.lane);
  Touch({target.lane.entity, LaneKind::kMain});
  reclaimer_.ReclaimShelf(shelf, turn);
  if (with_scheduled) reclaimer_.ReclaimScheduled(target.lane.entity, turn);
  return purged;
}

Result<Queue*> Shard::FindOpen(EntityId entity) {
  if (closed_) return *closed_;
  Queue* queue = catalog_.Find(entity);
  if (queue != nullptr) return queue;
  return Status(ErrorCode::kMessagingEntityNotFound, "the entity was deleted meanwhile");
}

Queue* Shard::FindShelf(const Shelf& shelf) {
  Queue* queue = catalog_.Find(shelf.entity);
  return queue != nullptr && queue->lane(shelf.kind).shelf() == shelf ? queue : nullptr;
}

// What it held of sessions comes back in a later turn.
void Shard::NoteLeft(const Receiver& receiver) {
  desk_.NoteLeft(receiver);
  Queue* queue = catalog_.Find(receiver.options().lane.entity);
  if (queue == nullptr) return;
  queue->NoteActivity(world_.clock.Now());
}

}  // namespace wharf
