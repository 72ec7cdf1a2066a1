#include "broker/core/queue/resting_lane.h"

namespace wharf {

LaneCounters RestingLane::CountersOf(const RestingEntity& entity) const {
  LaneCounters counters;
  counters.generation = generation;
  counters.cursor = cursor;
  counters.next_number = entity.next_number;
  counters.scheduled_floor = entity.scheduled_floor;
  counters.accessed_at = entity.accessed_at;
  counters.active_at = entity.active_at;
  return counters;
}

}  // namespace wharf
