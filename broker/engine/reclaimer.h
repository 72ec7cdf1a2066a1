// Reclaimer: frees what deleted entities and purged lanes leave behind, a step at a time.
//
// Each piece of work is a row in `jobs`, written with the change that makes it necessary, so it
// goes on after a restart. Owned by the Shard, used on its thread.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "broker/core/change.h"
#include "broker/engine/turn.h"

namespace wharf {

class Shard;

class Reclaimer {
 public:
  explicit Reclaimer(Shard& shard) : shard_(shard) {}

  // The work begins when the turn is committed.
  void ReclaimEntity(EntityId entity, Turn& turn);
  void ReclaimShelf(const Shelf& shelf, Turn& turn);
  // Scheduled messages below the entity's floor.
  void ReclaimScheduled(EntityId entity, Turn& turn);

  // The generation for the lane of `shelf` after a purge; ServiceBusy if all are still being
  // reclaimed.
  Result<std::uint8_t> NextGeneration(const Shelf& shelf) const;

 private:
  void ReadScheduledStep(EntityId entity, Turn& turn);
  SequenceNumber FloorOf(EntityId entity) const;

  Shard& shard_;
  // Generations of lanes, and schedules, whose work is under way.
  absl::flat_hash_set<std::pair<LaneId, std::uint8_t>> busy_;
  absl::flat_hash_set<EntityId> schedules_;
};

}  // namespace wharf
