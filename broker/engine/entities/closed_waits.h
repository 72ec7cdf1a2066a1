// ClosedWaits: who waits to hear that an entity takes no more messages: it is deleted, disabled or
// fenced, or the broker stops.
//
// Who waits does not use the entity: it rests, and is deleted for want of use, as without them. All
// of an entity are answered by one telling of a turn. Owned by the Shard, used on its thread.
#pragma once

#include <cstdint>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "broker/engine/turn/registrations.h"
#include "broker/requests/answer.h"
#include "broker/requests/entity_requests.h"

namespace wharf {

class ClosedWaits final : public EntityListener, public EntityEndListener {
 public:
  using Answered = AnswerTo<AwaitClosedRequest>;
  // Of one that never waited: zero.
  struct Id {
    EntityId entity{};
    std::uint64_t number = 0;
  };

  // The entity takes messages now.
  Id Add(EntityId entity, Answered answer);
  // Answers one whose time is over, unless it was answered.
  void End(const Id& id, Turn& turn);
  void EndAll(const Status& reason, Turn& turn);

  void OnEntityChanged(Queue& queue, Turn& turn) override;
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;

 private:
  // In the order in which they came.
  using Waits = absl::btree_map<std::uint64_t, Answered>;

  static void Tell(Waits waits, const Status& reason, Turn& turn);

  absl::flat_hash_map<EntityId, Waits> waits_;
  std::uint64_t last_ = 0;
};

}  // namespace wharf
