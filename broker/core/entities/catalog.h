// Catalog: all entities of the broker, by path and by id; creates, changes and deletes them.
//
// Owned by the Shard, used on its thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/entities/shared_settings.h"
#include "broker/core/queue/queue.h"
#include "storage/base/ranked.h"

namespace wharf {

struct BrokerLimits {
  QueueLimits queue{};
  // Queues and topics (QUO-5).
  std::size_t entities_max = 10000;
  // Of all that they hold; 0: no limit (QUO-4).
  std::uint64_t namespace_bytes_max = 0;
  // Of one topic (RUL-14).
  std::size_t subscriptions_max = 2000;
};

class Catalog {
 public:
  // What is loaded at start.
  struct Image {
    std::vector<Queue::Image> queues;
    // Of the next entity's id.
    std::uint64_t next_number = 1;
  };

  Catalog(Image image, const BrokerLimits& limits, Random& random);

  // A subscription's name is its path; its topic must exist.
  Result<Queue*> Create(EntityKind kind, QueueDescription description, Timestamp now,
                        Changes& changes);
  Result<Queue*> Update(EntityKind kind, QueueDescription description, Timestamp now,
                        Changes& changes);
  // Returns the ids of what was: the entity, and a topic's subscriptions (EPR-33).
  Result<std::vector<EntityId>> Delete(EntityKind kind, std::string_view name, Changes& changes);

  // By the path of the entity; the error names it as it was written.
  Result<Queue*> Find(std::string_view path) const;
  // The same for a path that is folded already; `path` is for the error.
  Result<Queue*> FindFolded(std::string_view folded, std::string_view path) const;
  // An entity of one kind; of another one the error tells which (NAM-6).
  Result<Queue*> Find(EntityKind kind, std::string_view path) const;
  // Null if it was deleted, or is fenced: nobody who works on messages sees it then.
  Queue* Find(EntityId id) const;
  // The same, also if it is fenced.
  Queue* FindKnown(EntityId id) const;
  // Whether work on it is to wait: it is fenced, or a topic that takes nothing.
  bool IsFenced(EntityId id) const;
  // Why Find does not find it: it is fenced, or was deleted.
  Status WhyGone(EntityId id) const;
  // The queue whose lane stands on this shelf; null if it was deleted or purged.
  Queue* FindShelf(const Shelf& shelf) const;

  // Up to `count_max` queues or topics in the order of their folded names, after `after` and so
  // many more. It takes as long wherever they are, here and below.
  std::vector<const Queue*> List(EntityKind kind, std::string_view after, std::size_t count_max,
                                 std::size_t skip = 0) const;
  // The same for the subscriptions of the topic with this folded path.
  std::vector<const Queue*> ListSubscriptions(std::string_view topic, std::string_view after,
                                              std::size_t count_max, std::size_t skip = 0) const;
  // Up to `count_max` entities of every kind whose folded paths begin with `prefix`, in their
  // order, from `from` on.
  std::vector<Queue*> ListFrom(std::string_view from, std::string_view prefix,
                               std::size_t count_max) const;
  // Null if it was deleted, or if this is no subscription.
  Queue* TopicOf(const Queue& subscription) const;
  // At the end of a turn: what nothing is in gives back what it takes, as far as it is looked at.
  void RestIdle(Timestamp now);
  // Notices whether these messages change from now on...
  NumberWatch BeginWatch(LaneId lane, const std::vector<SequenceNumber>& numbers) {
    return watches_.Begin(lane, numbers);
  }
  // ...or which of the messages do that a reader will find.
  PageWatch BeginPageWatch() { return watches_.BeginPage(); }
  // Whether a message is no longer as the page found it for which the watch was begun: it changed,
  // or it expired with others and is in a span.
  bool HasChanged(const Shelf& shelf, SequenceNumber number, const PageWatch& watch) const;
  // The same of any of those that the span covers; perhaps not (PageWatch::SawAny).
  bool HaveChanged(const Shelf& shelf, const Span& found, const PageWatch& watch) const;
  // The same of one of those that were found by their numbers.
  bool HaveChanged(const Shelf& shelf, const FoundMessages& found, const NumberWatch& watch) const;
  // Notices which of these message ids an entity accepts from now on.
  std::shared_ptr<const IdWatch> BeginIdWatch(EntityId entity,
                                              const std::vector<DuplicateId>& ids) {
    return watches_.ids().Begin(entity, ids);
  }
  // Bytes of all messages and states of sessions.
  std::int64_t bytes() const { return size_.bytes(); }
  // All queues, topics and subscriptions.
  std::vector<Queue*> queues() const;
  // What all of them hold.
  const NamespaceSize& size() const { return size_; }

 private:
  // An entity; the path is that of `by_path_`.
  struct Placed {
    std::string_view path;
    Queue* queue;
  };
  struct PathOf {
    std::string_view operator()(const Placed& one) const { return one.path; }
  };
  using InOrder = Ranked<Placed, PathOf>;

  static std::vector<const Queue*> PageOf(const InOrder& all, std::string_view after,
                                          std::size_t count_max, std::size_t skip);
  bool IsInSpan(const Shelf& shelf, SequenceNumber number) const;
  Status CheckRoom(EntityKind kind, QueueDescription& description) const;
  Queue* Enter(std::string path, Queue::Image image);
  void Erase(EntityId id, std::string_view path, Changes& changes);

  const BrokerLimits& limits_;
  Random& random_;
  Watches watches_;
  AwakeQueues awake_{limits_.queue.look_pause};
  SharedSettings settings_;
  const Queue::World queue_world_{limits_.queue, random_, watches_, awake_};
  NamespaceSize size_;
  std::uint64_t next_number_;
  // Queues and topics.
  std::size_t count_ = 0;
  std::map<std::string, std::unique_ptr<Queue>, std::less<>> by_path_;
  // Queues and topics, each by themselves, and the subscriptions of each topic by its path: so that
  // no page of ones passes over the others, and each may begin at any place.
  absl::flat_hash_map<EntityKind, InOrder> by_kind_;
  absl::flat_hash_map<std::string, InOrder> by_topic_;
  absl::flat_hash_map<EntityId, Queue*> by_id_;
};

}  // namespace wharf
