#include "broker/engine/entities/entity_finder.h"

#include <fmt/core.h>

namespace wharf {

Result<EntityFinder::Target> EntityFinder::InUse(Queue* queue, LaneKind kind) {
  if (queue->is_fenced()) return queue->CheckFence();
  return Target{queue, LaneId{queue->id(), kind}};
}

Result<EntityFinder::Target> EntityFinder::Resolve(std::string_view path) const {
  WHARF_RETURN_IF_ERROR(open_.Check());
  const Address address = ParseAddress(path);
  Result<Queue*> queue = catalog_.FindFolded(address.entity, path);
  if (!queue.ok()) return queue.status();
  // DLQ-12.
  if ((*queue)->kind() == EntityKind::kTopic && address.lane == LaneKind::kDeadLetter) {
    return Status(ErrorCode::kMessagingEntityNotFound,
                  fmt::format("the topic '{}' has no dead-letter queue; its subscriptions have",
                              (*queue)->description().name));
  }
  return InUse(*queue, address.lane);
}

Result<EntityFinder::Target> EntityFinder::Resolve(const EntityRef& entity) const {
  if (!entity.lane) return Resolve(entity.path);
  WHARF_RETURN_IF_ERROR(open_.Check());
  Queue* queue = catalog_.FindKnown(entity.lane->entity);
  if (queue != nullptr) return InUse(queue, entity.lane->kind);
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("the entity {} was deleted meanwhile", Quoted(entity.path)));
}

Result<EntityFinder::Target> EntityFinder::ResolveHeld(const EntityRef& entity) const {
  Result<Target> target = Resolve(entity);
  if (!target.ok() || target->queue->kind() != EntityKind::kTopic) return target;
  return Status(ErrorCode::kInvalidOperation,
                fmt::format("'{0}' is a topic and keeps no messages: use the path of one of its "
                            "subscriptions, '{0}/Subscriptions/...'",
                            target->queue->description().name));
}

Result<EntityFinder::Target> EntityFinder::ResolveSend(const EntityRef& entity) const {
  Result<Target> target = Resolve(entity);
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

Result<EntityFinder::Target> EntityFinder::ResolveEntity(std::string_view name) const {
  WHARF_RETURN_IF_ERROR(open_.Check());
  Result<Queue*> queue = catalog_.Find(name);
  if (!queue.ok()) return queue.status();
  return InUse(*queue, LaneKind::kMain);
}

Result<EntityFinder::Target> EntityFinder::ResolveEntity(const EntityRef& entity) const {
  const bool is_found = entity.lane && entity.lane->kind == LaneKind::kMain;
  return is_found ? Resolve(entity) : ResolveEntity(entity.path);
}

Result<Queue*> EntityFinder::FindOpen(EntityId entity) const {
  WHARF_RETURN_IF_ERROR(open_.Check());
  Queue* queue = catalog_.Find(entity);
  if (queue != nullptr) return queue;
  return catalog_.WhyGone(entity);
}

}  // namespace wharf
