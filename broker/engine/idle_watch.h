// IdleWatch: deletes queues that were not used for long enough (ADI-1..15).
//
// Keeps one deadline a queue and looks at the queue when it has come: what was used meanwhile has a
// later one. Owned by the Shard, used on its thread.
#pragma once

#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/engine/turn.h"

namespace wharf {

class Queue;
class Shard;

class IdleWatch {
 public:
  explicit IdleWatch(Shard& shard) : shard_(shard) {}

  // Time in which the broker did not serve does not count, and every queue has at least five
  // minutes left (ADI-15).
  void Start(Timestamp now, Timestamp last_committed);
  // The queue is new, or its description changed.
  void Track(EntityId entity, Timestamp now);
  void Plan(Turn& turn);
  Timestamp next_deadline() const;

 private:
  void SetDeadline(EntityId entity, Timestamp deadline);
  bool IsWaitedOn(EntityId entity) const;
  // When the entity was used last, as far as that is over.
  Timestamp UsedAt(const Queue& queue) const;
  void Look(EntityId entity, Turn& turn);
  void NoteUse(Queue& queue, Turn& turn);

  Shard& shard_;
  absl::btree_set<std::pair<Timestamp, EntityId>> deadlines_;
  absl::flat_hash_map<EntityId, Timestamp> deadline_of_;
};

}  // namespace wharf
