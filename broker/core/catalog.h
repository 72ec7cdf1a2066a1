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
#include "broker/core/queue.h"

namespace wharf {

struct BrokerLimits {
  QueueLimits queue{};
  // Queues and topics (QUO-5).
  std::size_t entities_max = 10000;
};

class Catalog {
 public:
  // What is loaded at start.
  struct Image {
    std::vector<Queue::Image> queues;
    EntityId next_id{1};
  };

  Catalog(Image image, const BrokerLimits& limits, Random& random);

  Result<Queue*> CreateQueue(QueueDescription description, Timestamp now, Changes& changes);
  Result<Queue*> UpdateQueue(QueueDescription description, Timestamp now, Changes& changes);
  // Returns the id of the queue that was.
  Result<EntityId> DeleteQueue(std::string_view name, Changes& changes);

  // By the folded path of the entity; the error names it.
  Result<Queue*> Find(std::string_view path) const;
  // Null if it was deleted.
  Queue* Find(EntityId id) const;

  // Up to `count_max` queues in the order of their folded names, after `after`.
  std::vector<const Queue*> List(std::string_view after, std::size_t count_max) const;
  // Notices what changes from now on.
  std::shared_ptr<const Watch> BeginWatch() { return watches_.Begin(); }
  // All of them.
  std::vector<Queue*> queues() const;

 private:
  const BrokerLimits& limits_;
  Random& random_;
  Watches watches_;
  EntityId next_id_;
  std::map<std::string, std::unique_ptr<Queue>, std::less<>> by_path_;
  absl::flat_hash_map<EntityId, Queue*> by_id_;
};

}  // namespace wharf
