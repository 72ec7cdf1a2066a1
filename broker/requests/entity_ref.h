// EntityRef: the entity, or the lane of one, that a request is about.
//
// A door writes the path; what it means is looked up in the Directory when the request is asked, or
// before, by a door that asks many. From then on the request is about that entity and no other: one
// that was deleted meanwhile is gone, also if there is another of its name.
#pragma once

#include <optional>
#include <string>

#include "broker/core/queue/lane.h"

namespace wharf {

struct EntityRef {
  // As the caller wrote it.
  std::string path{};
  // Absent: not looked up, or unknown then.
  std::optional<LaneId> lane{};
  // Whether the numbers of its messages say in which partition they are; known with the lane.
  bool is_partitioned = false;
};

}  // namespace wharf
