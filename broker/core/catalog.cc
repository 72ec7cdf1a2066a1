#include "broker/core/catalog.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {

Catalog::Catalog(Image image, const BrokerLimits& limits, Random& random)
    : limits_(limits), random_(random), next_id_(image.next_id) {
  for (Queue::Image& queue_image : image.queues) {
    auto queue = std::make_unique<Queue>(std::move(queue_image), limits_.queue, random_, watches_);
    by_id_.emplace(queue->record().id, queue.get());
    std::string path = FoldPath(queue->description().name);
    by_path_.emplace(std::move(path), std::move(queue));
  }
}

Result<Queue*> Catalog::CreateQueue(QueueDescription description, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckDescription(description));
  std::string path = FoldPath(description.name);
  if (by_path_.contains(path)) {
    return Status(ErrorCode::kMessagingEntityAlreadyExists,
                  fmt::format("an entity named '{}' exists already", description.name));
  }
  if (by_path_.size() >= limits_.entities_max) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("there are {} entities already, as many as this broker takes",
                              by_path_.size()));
  }
  Queue::Image image;
  image.record = EntityRecord{next_id_, std::move(description), now, now};
  image.main.counters.accessed_at = now;
  image.main.counters.active_at = now;
  next_id_ = next_id_.Next();
  changes.push_back(EntityCreated{image.record});
  auto queue = std::make_unique<Queue>(std::move(image), limits_.queue, random_, watches_);
  Queue* created = queue.get();
  by_id_.emplace(created->record().id, created);
  by_path_.emplace(std::move(path), std::move(queue));
  return created;
}

// What cannot change is looked at first: its message tells the user more than "not offered" would.
Result<Queue*> Catalog::UpdateQueue(QueueDescription description, Timestamp now, Changes& changes) {
  Result<Queue*> found = Find(FoldPath(description.name));
  if (!found.ok()) return found;
  WHARF_RETURN_IF_ERROR(CheckUpdate((*found)->description(), description));
  WHARF_RETURN_IF_ERROR(CheckDescription(description));
  description.name = (*found)->description().name;
  (*found)->Update(std::move(description), now, changes);
  return found;
}

Result<EntityId> Catalog::DeleteQueue(std::string_view name, Changes& changes) {
  const std::string path = FoldPath(name);
  Result<Queue*> found = Find(path);
  if (!found.ok()) return found.status();
  const EntityId id = (*found)->record().id;
  changes.push_back(EntityDeleted{id, (*found)->description().name});
  by_id_.erase(id);
  by_path_.erase(path);
  return id;
}

Result<Queue*> Catalog::Find(std::string_view path) const {
  const auto found = by_path_.find(path);
  if (found != by_path_.end()) return found->second.get();
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("there is no entity named '{:.300}'", path));
}

Queue* Catalog::Find(EntityId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::vector<const Queue*> Catalog::List(std::string_view after, std::size_t count_max) const {
  std::vector<const Queue*> page;
  for (auto it = by_path_.upper_bound(after); it != by_path_.end() && page.size() < count_max;
       ++it) {
    page.push_back(it->second.get());
  }
  return page;
}

std::vector<Queue*> Catalog::queues() const {
  std::vector<Queue*> all;
  all.reserve(by_path_.size());
  for (const auto& [path, queue] : by_path_) all.push_back(queue.get());
  return all;
}

}  // namespace wharf
