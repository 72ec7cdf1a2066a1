// TurnAudit: that the counters which a turn writes are those that its changes imply.
//
// A change that no counter follows, or a counter that moves without a change, would be seen by
// nobody until the next start believes it. What a turn changes is added up once, lane by lane, and
// held against what the lanes count. What rows on the disk contradict is not memory's fault, and is
// left out. Owned by the Shard, used on its thread.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"
#include "broker/core/entities/catalog.h"
#include "broker/engine/turn/touched_lanes.h"

namespace wharf {

class TurnAudit {
 public:
  // What the messages of a lane become in one turn.
  struct Sum {
    MessageCounts counts;
    // A purge, behind which everything is counted from nothing.
    bool is_purged = false;
    bool is_schedule_purged = false;
    // A message went that could not be read, and nobody may know where it was counted, or as what.
    bool has_unknown = false;
  };

  // Before the counters of `touched` are written.
  void Assert(const Changes& changes, const TouchedLanes::Lanes& touched, const Catalog& catalog);

 private:
  void AssertLane(const Lane& lane) const;

  // Kept, so that it is not allocated for each turn.
  absl::flat_hash_map<LaneId, Sum> sums_;
};

}  // namespace wharf
