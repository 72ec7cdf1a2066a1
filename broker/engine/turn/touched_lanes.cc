#include "broker/engine/turn/touched_lanes.h"

#include <cassert>
#include <utility>

namespace wharf {

void TouchedLanes::Touch(LaneId lane) {
  assert(phase_ != Phase::kBetween);
  (phase_ == Phase::kMatching ? next_ : lanes_).insert(lane);
}

void TouchedLanes::NoteUse(Queue& queue, LaneId lane, Timestamp now) {
  queue.NoteActivity(now);
  if (!lanes_.contains(lane)) Touch(lane);
}

void TouchedLanes::Begin() {
  phase_ = Phase::kPlanning;
  lanes_ = std::exchange(next_, {});
}

TouchedLanes::Lanes TouchedLanes::TakeForCounters() {
  phase_ = Phase::kBetween;
  return std::exchange(lanes_, {});
}

}  // namespace wharf
