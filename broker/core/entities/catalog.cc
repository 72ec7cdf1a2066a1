#include "broker/core/entities/catalog.h"

#include <algorithm>

#include <fmt/core.h>

#include "broker/core/entities/bucket.h"
#include "broker/core/entities/forward_target.h"

namespace wharf {

Catalog::Catalog(Image image, const BrokerLimits& limits, Random& random)
    : limits_(limits),
      random_(random),
      size_(limits.namespace_bytes_max),
      next_number_(image.next_number) {
  for (Queue::Image& each : image.queues) {
    std::string path = FoldPath(each.record.description.name);
    Enter(std::move(path), std::move(each))->Rest(Timestamp(), settings_);
  }
}

Queue* Catalog::Enter(std::string path, Queue::Image image) {
  auto entered = std::make_unique<Queue>(std::move(image), queue_world_);
  Queue* const queue = entered.get();
  queue->CountIntoNamespace(size_);
  const auto place = by_path_.emplace(std::move(path), std::move(entered)).first;
  by_id_.emplace(queue->id(), queue);
  const Placed placed{place->first, queue};
  if (queue->kind() == EntityKind::kSubscription) {
    by_topic_[std::string(SplitSubscriptionPath(place->first).topic)].Add(placed);
  } else {
    ++count_;
    by_kind_[queue->kind()].Add(placed);
  }
  return queue;
}

// Whether another one may be; gives the name of a subscription the case of its topic's.
Status Catalog::CheckRoom(EntityKind kind, QueueDescription& description) const {
  if (kind != EntityKind::kSubscription) {
    if (count_ < limits_.entities_max) return {};
    return {ErrorCode::kQuotaExceeded,
            fmt::format("there are {} entities already, as many as this broker takes", count_)};
  }
  const SubscriptionName parts = SplitSubscriptionPath(description.name);
  const std::string topic_path = FoldPath(parts.topic);
  const Result<Queue*> topic = Find(EntityKind::kTopic, parts.topic);
  if (!topic.ok()) return topic.status();
  const std::size_t max = limits_.subscriptions_max;
  const auto there = by_topic_.find(topic_path);
  if (there != by_topic_.end() && there->second.size() >= max) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("the topic has {} subscriptions already, as many as it may have", max)};
  }
  description.name = SubscriptionPath((*topic)->name(), parts.name);
  return {};
}

Result<Queue*> Catalog::Create(EntityKind kind, QueueDescription description, Timestamp now,
                               Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckDescription(kind, description));
  std::string path = FoldPath(description.name);
  if (by_path_.contains(path)) {
    return Status(ErrorCode::kMessagingEntityAlreadyExists,
                  fmt::format("an entity named '{}' exists already", description.name));
  }
  WHARF_RETURN_IF_ERROR(CheckRoom(kind, description));
  WHARF_RETURN_IF_ERROR(CheckForwarding(kind, description, *this));
  // FWD-17: its dead letters may have to wait for their target.
  if (description.forward_dead_lettered_messages_to) description.auto_delete_on_idle = kUnlimited;
  Queue::Image image;
  const EntityId id(BucketOfPath(path), next_number_++);
  image.record = EntityRecord{id, kind, std::move(description), now, now};
  image.main.counters.accessed_at = now;
  image.main.counters.active_at = now;
  changes.push_back(EntityCreated{image.record});
  return Enter(std::move(path), std::move(image));
}

// What cannot change is looked at first: its message tells the user more than "not offered" would.
Result<Queue*> Catalog::Update(EntityKind kind, QueueDescription description, Timestamp now,
                               Changes& changes) {
  Result<Queue*> found = Find(kind, description.name);
  if (!found.ok()) return found;
  WHARF_RETURN_IF_ERROR(CheckUpdate(kind, (*found)->description(), description));
  WHARF_RETURN_IF_ERROR(CheckDescription(kind, description));
  WHARF_RETURN_IF_ERROR(CheckForwarding(kind, description, *this));
  description.name = (*found)->name();
  (*found)->Update(std::move(description), now, changes);
  return found;
}

Result<std::vector<EntityId>> Catalog::Delete(EntityKind kind, std::string_view name,
                                              Changes& changes) {
  const std::string path = FoldPath(name);
  const Result<Queue*> found = Find(kind, name);
  if (!found.ok()) return found.status();
  std::vector<EntityId> deleted;
  if (kind == EntityKind::kTopic) {
    const std::vector<const Queue*> subscriptions = ListSubscriptions(path, {}, by_path_.size());
    // At one go, and not taken out one by one.
    by_topic_.erase(path);
    for (const Queue* each : subscriptions) {
      deleted.push_back(each->id());
      Erase(each->id(), FoldPath(each->name()), changes);
    }
  }
  deleted.push_back((*found)->id());
  Erase(deleted.back(), path, changes);
  return deleted;
}

void Catalog::Erase(EntityId id, std::string_view path, Changes& changes) {
  const auto found = by_path_.find(path);
  const Queue& queue = *found->second;
  changes.push_back(EntityDeleted{id, queue.name()});
  if (queue.kind() == EntityKind::kSubscription) {
    const auto topic = by_topic_.find(std::string(SplitSubscriptionPath(found->first).topic));
    if (topic != by_topic_.end()) {
      topic->second.Remove(std::string_view(found->first));
      if (topic->second.empty()) by_topic_.erase(topic);
    }
  } else {
    --count_;
    by_kind_[queue.kind()].Remove(std::string_view(found->first));
  }
  by_id_.erase(id);
  by_path_.erase(found);
}

Result<Queue*> Catalog::Find(std::string_view path) const {
  return FindFolded(FoldPath(path), path);
}

Result<Queue*> Catalog::FindFolded(std::string_view folded, std::string_view path) const {
  const auto found = by_path_.find(folded);
  if (found != by_path_.end()) return found->second.get();
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("there is no entity named {}", Quoted(path)));
}

Result<Queue*> Catalog::Find(EntityKind kind, std::string_view path) const {
  const auto found = by_path_.find(FoldPath(path));
  const bool is_there = found != by_path_.end();
  if (is_there && found->second->kind() == kind) return found->second.get();
  std::string why = fmt::format("there is no {} named {}", NameOf(kind), Quoted(path));
  if (is_there) why += fmt::format(": it is a {}", NameOf(found->second->kind()));
  return Status(ErrorCode::kMessagingEntityNotFound, std::move(why));
}

Queue* Catalog::TopicOf(const Queue& subscription) const {
  if (subscription.kind() != EntityKind::kSubscription) return nullptr;
  const auto parts = SplitSubscriptionPath(subscription.name());
  const auto found = by_path_.find(FoldPath(parts.topic));
  return found == by_path_.end() ? nullptr : found->second.get();
}

Queue* Catalog::FindKnown(EntityId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Queue* Catalog::Find(EntityId id) const {
  Queue* const queue = FindKnown(id);
  return queue == nullptr || queue->is_fenced() ? nullptr : queue;
}

bool Catalog::IsFenced(EntityId id) const {
  const Queue* queue = FindKnown(id);
  return queue != nullptr && !queue->CheckFence().ok();
}

Status Catalog::WhyGone(EntityId id) const {
  const Queue* queue = FindKnown(id);
  if (queue != nullptr && queue->is_fenced()) return queue->CheckFence();
  return {ErrorCode::kMessagingEntityNotFound, "the entity was deleted meanwhile"};
}

Queue* Catalog::FindShelf(const Shelf& shelf) const {
  Queue* queue = Find(shelf.entity);
  return queue != nullptr && queue->shelf(shelf.kind) == shelf ? queue : nullptr;
}

void Catalog::RestIdle(Timestamp now) {
  for (const EntityId id : awake_.Take(now)) {
    Queue* const queue = FindKnown(id);
    if (queue != nullptr && !queue->Rest(now, settings_)) awake_.NoteUsed(id, now);
  }
}

bool Catalog::HasChanged(const Shelf& shelf, SequenceNumber number, const PageWatch& watch) const {
  return watch.Saw(shelf.lane(), number) || IsInSpan(shelf, number);
}

bool Catalog::HaveChanged(const Shelf& shelf, const FoundMessages& found,
                          const NumberWatch& watch) const {
  return watch.saw_any() || std::any_of(found.begin(), found.end(), [&](const auto& each) {
           return each.second && IsInSpan(shelf, each.first);
         });
}

// In a lane that is at rest nothing waits, and on a shelf that is gone neither.
bool Catalog::HaveChanged(const Shelf& shelf, const Span& found, const PageWatch& watch) const {
  if (watch.SawAny(shelf.lane(), found)) return true;
  const Queue* queue = FindShelf(shelf);
  return queue == nullptr || queue->is_at_rest() || queue->lane(shelf.kind).spans().Meet(found);
}

// No number is used twice on a shelf; a purge changes all that stood on it.
bool Catalog::IsInSpan(const Shelf& shelf, SequenceNumber number) const {
  const Queue* queue = FindShelf(shelf);
  return queue != nullptr && !queue->is_at_rest() && queue->lane(shelf.kind).spans().Covers(number);
}

std::vector<const Queue*> Catalog::List(EntityKind kind, std::string_view after,
                                        std::size_t count_max, std::size_t skip) const {
  const auto found = by_kind_.find(kind);
  if (found == by_kind_.end()) return {};
  return PageOf(found->second, after, count_max, skip);
}

std::vector<const Queue*> Catalog::PageOf(const InOrder& all, std::string_view after,
                                          std::size_t count_max, std::size_t skip) {
  std::vector<const Queue*> page;
  for (const Placed& each : all.Page(after, count_max, skip)) page.push_back(each.queue);
  return page;
}

std::vector<Queue*> Catalog::ListFrom(std::string_view from, std::string_view prefix,
                                      std::size_t count_max) const {
  std::vector<Queue*> page;
  for (auto it = by_path_.lower_bound(std::max(from, prefix));
       it != by_path_.end() && it->first.starts_with(prefix) && page.size() < count_max; ++it) {
    page.push_back(it->second.get());
  }
  return page;
}

std::vector<const Queue*> Catalog::ListSubscriptions(std::string_view topic, std::string_view after,
                                                     std::size_t count_max,
                                                     std::size_t skip) const {
  const auto found = by_topic_.find(std::string(topic));
  if (found == by_topic_.end()) return {};
  return PageOf(found->second, FoldPath(SubscriptionPath(topic, after)), count_max, skip);
}

std::vector<Queue*> Catalog::queues() const {
  std::vector<Queue*> all;
  all.reserve(by_path_.size());
  for (const auto& [path, queue] : by_path_) all.push_back(queue.get());
  return all;
}

}  // namespace wharf
