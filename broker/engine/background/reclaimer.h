// Reclaimer: frees what deleted entities and purged lanes leave behind: at once, if no row has to
// be read for it, or else a step at a time.
//
// Rows are read for what they name: bodies in rows of their own, and hints of scheduled messages.
// Where the counters tell that there are none, all rows go by ranges, in the commit of the deletion
// or purge. Each range leaves a tombstone, 11 for an entity and 4 for a shelf; so only some go so
// in the turns that are under way, and the others stand in line.
//
// Each piece of work is a row in `jobs`, written with the change that makes it necessary, so it
// goes on after a restart. A few are under way at a time, a step of each in turn; of the others,
// which are as many as there are rows, only their names are kept. Owned by the Shard, used on its
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/changes/change.h"
#include "broker/core/queue/remains.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/reclaim_reader.h"

namespace wharf {

class Reclaimer final {
 public:
  // Steps that are under way at a time.
  static constexpr std::size_t kStepsMax = 8;
  // Entities and shelves whose rows go unread in turns that are not committed yet.
  static constexpr std::size_t kUnreadMax = 64;

  explicit Reclaimer(const WorkerContext& context) : context_(context) {}

  // In the turn that deletes the entity, or purges the shelf.
  void ReclaimEntity(EntityId entity, const Remains& remains, Turn& turn);
  void ReclaimShelf(const Shelf& shelf, const Remains& remains, Turn& turn);

  // By reading: the work begins when the turn is committed, or when it is its turn.
  void ReclaimEntity(EntityId entity, Turn& turn);
  void ReclaimShelf(const Shelf& shelf, Turn& turn);
  // Scheduled messages below the entity's floor.
  void ReclaimScheduled(EntityId entity, Turn& turn);

  // The generation for the lane of `shelf` after a purge; ServiceBusy if all are still being
  // reclaimed.
  Result<std::uint8_t> NextGeneration(const Shelf& shelf) const;

 private:
  // What is reclaimed: of an entity all that is left, one shelf, or what was scheduled.
  enum class WorkKind : std::uint8_t { kEntity, kShelf, kScheduled, kUnreadEntity, kUnreadShelf };
  struct Work {
    WorkKind kind;
    Shelf shelf;
    // Of what goes unread.
    bool frees_much = false;
  };

  // Whether rows of it are left that name bodies or hints, or may.
  bool IsUnderWay(EntityId entity) const;
  void EndUnread(const Work& work, Turn& turn);
  void FinishUnread(const Work& work, Turn& turn);
  void FinishUnreadLater(const Work& work, Turn& turn);

  void Enter(const Work& work, Turn& turn);
  void BeginSteps(Turn& turn);
  // First in each step that is planned.
  void EndStep(Turn& turn);
  void Read(const Work& work, Turn& turn);
  void ReadEntityStep(EntityId entity, Turn& turn);
  void ReadShelfStep(const Shelf& shelf, Turn& turn);
  void ReadScheduledStep(EntityId entity, Turn& turn);
  // Whether enough rows went to be worth a compaction. Then they count no more.
  bool TakeFreesMuch(EntityId entity);
  SequenceNumber FloorOf(EntityId entity) const;

  const WorkerContext context_;
  // Whose next step is not under way.
  std::deque<Work> waiting_;
  std::size_t steps_under_way_ = 0;
  std::size_t unread_under_way_ = 0;
  // Generations of lanes, and schedules, whose work is under way.
  absl::flat_hash_set<std::pair<LaneId, std::uint8_t>> busy_;
  absl::flat_hash_set<EntityId> schedules_;
  // Steps that deleted rows of an entity, since its space was last given back.
  absl::flat_hash_map<EntityId, std::size_t> steps_;
};

}  // namespace wharf
