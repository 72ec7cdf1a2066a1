// Which queue a path names, and what creating, changing, deleting and purging it takes.

#include <fmt/core.h>

#include "broker/engine/shard.h"

namespace wharf {

Result<Shard::Target> Shard::Resolve(std::string_view path) const {
  if (closed_) return *closed_;
  const Address address = ParseAddress(path);
  Result<Queue*> queue = catalog_.FindFolded(address.entity, path);
  if (!queue.ok()) return queue.status();
  // DLQ-12.
  if ((*queue)->kind() == EntityKind::kTopic && address.lane == LaneKind::kDeadLetter) {
    return Status(ErrorCode::kMessagingEntityNotFound,
                  fmt::format("the topic '{}' has no dead-letter queue; its subscriptions have",
                              (*queue)->description().name));
  }
  return Target{*queue, LaneId{(*queue)->record().id, address.lane}};
}

Result<Shard::Target> Shard::ResolveHeld(std::string_view path) const {
  Result<Target> target = Resolve(path);
  if (!target.ok() || target->queue->kind() != EntityKind::kTopic) return target;
  return Status(ErrorCode::kInvalidOperation,
                fmt::format("'{0}' is a topic and keeps no messages: use the path of one of its "
                            "subscriptions, '{0}/Subscriptions/...'",
                            target->queue->description().name));
}

Result<Shard::Target> Shard::ResolveSend(std::string_view path) const {
  Result<Target> target = Resolve(path);
  if (!target.ok()) return target;
  if (target->lane.kind != LaneKind::kMain) {
    return Status(ErrorCode::kInvalidOperation,
                  "messages cannot be sent to a dead-letter queue; send to its entity");
  }
  // ADR-3.
  if (target->queue->kind() == EntityKind::kSubscription) {
    return Status(ErrorCode::kInvalidOperation,
                  "messages cannot be sent to a subscription; send to its topic");
  }
  return target;
}

Result<Shard::Target> Shard::ResolveEntity(std::string_view name) const {
  if (closed_) return *closed_;
  Result<Queue*> queue = catalog_.Find(name);
  if (!queue.ok()) return queue.status();
  return Target{*queue, LaneId{(*queue)->record().id, LaneKind::kMain}};
}

Result<Queue*> Shard::CreateEntity(EntityKind kind, QueueDescription description,
                                   std::optional<RuleDescription> first_rule, Turn& turn) {
  if (closed_) return *closed_;
  std::optional<Rule> rule;
  if (kind == EntityKind::kSubscription) {
    Result<Rule> checked =
        topics_.CheckFirstRule(description.name, std::move(first_rule), turn.now);
    if (!checked.ok()) return checked.status();
    rule = *std::move(checked);
  }
  Result<Queue*> queue = catalog_.Create(kind, std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  entity_log_.Note(kind, (*queue)->description().name, "is made", turn);
  if (kind == EntityKind::kTopic) topics_.AddTopic(**queue);
  if (rule) topics_.AddSubscription(**queue, *std::move(rule), turn.changes);
  NoteTopicUsed(**queue, turn.now);
  Touch((*queue)->lane(LaneKind::kMain).id());
  idle_.Track((*queue)->record().id, turn.now);
  forwarder_.NoteChanged(**queue);
  NoteRulesChanged(**queue);
  return queue;
}

void Shard::NoteUse(const Target& target, Timestamp now) {
  target.queue->NoteActivity(now);
  Touch(target.lane);
}

// The topic may take messages now that it did not take before.
void Shard::NoteRulesChanged(const Queue& subscription) {
  if (Queue* topic = catalog_.TopicOf(subscription); topic != nullptr) {
    forwarder_.NoteChanged(*topic);
  }
}

// What is done to a subscription keeps its topic from being idle (ADI-4).
void Shard::NoteTopicUsed(const Queue& subscription, Timestamp now) {
  Queue* topic = catalog_.TopicOf(subscription);
  if (topic != nullptr) NoteUse({topic, topic->lane(LaneKind::kMain).id()}, now);
}

Result<Queue*> Shard::UpdateEntity(EntityKind kind, std::string_view path, EntityEdit edit,
                                   Turn& turn) {
  if (closed_) return *closed_;
  Result<Queue*> found = catalog_.Find(kind, path);
  if (!found.ok()) return found;
  Result<QueueDescription> edited = std::move(edit)((*found)->record());
  if (!edited.ok()) return edited.status();
  // Another name would be another entity.
  WHARF_RETURN_IF_ERROR(CheckUpdate(kind, (*found)->description(), *edited));
  return ReplaceEntity(kind, *std::move(edited), turn);
}

Result<Queue*> Shard::ReplaceEntity(EntityKind kind, QueueDescription description, Turn& turn) {
  Result<Queue*> queue = catalog_.Update(kind, std::move(description), turn.now, turn.changes);
  if (!queue.ok()) return queue;
  entity_log_.Note(kind, (*queue)->description().name, "is changed", turn);
  const EntityId id = (*queue)->record().id;
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    Touch({id, lane});
    const Status allowed = (*queue)->CheckReceive(lane);
    if (allowed.ok()) continue;
    dispatcher_.DetachAll(LaneId{id, lane}, allowed, turn);
    if (lane == LaneKind::kMain) desk_.Refuse(id, allowed, turn);
  }
  NoteTopicUsed(**queue, turn.now);
  idle_.Track(id, turn.now);
  forwarder_.NoteChanged(**queue);
  return queue;
}

Status Shard::DeleteEntity(EntityKind kind, std::string_view name, Turn& turn) {
  if (closed_) return *closed_;
  if (Result<Queue*> queue = catalog_.Find(kind, name); queue.ok()) {
    NoteTopicUsed(**queue, turn.now);
  }
  return RemoveEntity(kind, name, "is deleted", turn);
}

Status Shard::EraseEntity(EntityKind kind, std::string_view name, Turn& turn) {
  return RemoveEntity(kind, name,
                      "is deleted: it was not used for as long as its auto_delete_on_idle", turn);
}

Status Shard::RemoveEntity(EntityKind kind, std::string_view name, std::string_view how,
                           Turn& turn) {
  const Result<std::vector<EntityId>> deleted = catalog_.Delete(kind, name, turn.changes);
  if (!deleted.ok()) return deleted.status();
  entity_log_.Note(kind, std::string(name), how, turn);
  const Status reason(ErrorCode::kMessagingEntityNotFound,
                      fmt::format("the entity {} was deleted", Quoted(name)));
  topics_.Forget(*deleted);
  for (const EntityId id : *deleted) EndEntity(id, reason, turn);
  return {};
}

Result<RuleDescription> Shard::AddRule(std::string_view path, RuleDescription rule, Turn& turn) {
  const Result<Target> target = ResolveEntity(path);
  if (!target.ok()) return target.status();
  Touch(target->lane);
  NoteTopicUsed(*target->queue, turn.now);
  Result<RuleDescription> added =
      topics_.AddRule(*target->queue, std::move(rule), turn.now, turn.changes);
  if (added.ok()) NoteRulesChanged(*target->queue);
  return added;
}

Status Shard::RemoveRule(std::string_view path, std::string_view name, Turn& turn) {
  const Result<Target> target = ResolveEntity(path);
  if (!target.ok()) return target.status();
  Touch(target->lane);
  NoteTopicUsed(*target->queue, turn.now);
  return topics_.RemoveRule(*target->queue, name, turn.now, turn.changes);
}

void Shard::EndEntity(EntityId entity, const Status& reason, Turn& turn) {
  dispatcher_.DetachAll(entity, reason, turn);
  desk_.Refuse(entity, reason, turn);
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    dispatcher_.ForgetLocks({entity, kind});
    Touch({entity, kind});
  }
  idle_.Track(entity, turn.now);
  forwarder_.NoteDeleted(entity);
  reclaimer_.ReclaimEntity(entity, turn);
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
  entity_log_.Note(target.queue->kind(), target.queue->description().name,
                   kind == LaneKind::kMain ? "is purged" : "has its dead-letter queue purged",
                   turn);
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
void Shard::NoteLeft(const Receiver& receiver, Timestamp now) {
  desk_.NoteLeft(receiver);
  Queue* queue = catalog_.Find(receiver.options().lane.entity);
  if (queue == nullptr) return;
  // A stream that has no credit left is not in use (ADI-9).
  if (receiver.has_credit()) queue->NoteActivity(now);
}

}  // namespace wharf
