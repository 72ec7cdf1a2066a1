// TouchedLanes: the lanes that a turn changed.
//
// What changes a queue touches its lane: then the lane is matched with receivers at the end of the
// turn, and its counters are written. Owned by the Shard, used on its thread.
#pragma once

#include "absl/container/btree_set.h"
#include "broker/core/queue/queue.h"

namespace wharf {

class TouchedLanes {
 public:
  using Lanes = absl::btree_set<LaneId>;

  // The lane changed in this turn. While lanes are matched it is matched in the next. Once counters
  // are written nothing may be touched: it would be forgotten.
  void Touch(LaneId lane);
  // In the next turn.
  void TouchLater(LaneId lane) { next_.insert(lane); }
  // The entity is used now (ADI-3): that begins its idle time anew, and is written in this turn; or
  // in the next, if that shows while others are matched. A lane that is being matched needs no
  // other turn for it.
  void NoteUse(Queue& queue, LaneId lane, Timestamp now);

  // The phases of a turn, in this order; between two turns lanes can only be touched later.
  void Begin();
  void BeginMatching() { phase_ = Phase::kMatching; }
  void EndMatching() { phase_ = Phase::kPlanning; }
  // Those whose counters are to be written, and no others.
  Lanes TakeForCounters();

  const Lanes& lanes() const { return lanes_; }
  bool has_next() const { return !next_.empty(); }

 private:
  enum class Phase { kBetween, kPlanning, kMatching };

  Phase phase_ = Phase::kBetween;
  Lanes lanes_;
  Lanes next_;
};

}  // namespace wharf
