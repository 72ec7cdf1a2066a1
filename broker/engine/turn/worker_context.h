// WorkerContext: what each worker of a shard works with.
//
// A worker sees these, and what else its constructor names; not the shard. Owned by the Shard, used
// on its thread.
#pragma once

#include "broker/core/entities/catalog.h"
#include "broker/engine/turn/open_state.h"
#include "broker/engine/turn/reads.h"
#include "broker/engine/turn/touched_lanes.h"

namespace wharf {

struct WorkerContext {
  Catalog& catalog;
  TouchedLanes& touched;
  Reads& reads;
  const OpenState& open;
};

}  // namespace wharf
