// PeekHandler: shows messages as they stand in the store.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/turn/touched_lanes.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/peek_requests.h"
#include "storage/base/random.h"

namespace wharf {

class PeekHandler {
 public:
  PeekHandler(TouchedLanes& touched, const EntityFinder& finder, Random& random,
              const StoreReplies& from_store)
      : touched_(touched), finder_(finder), random_(random), from_store_(from_store) {}

  void Plan(Asked<PeekRequest> asked, Turn& turn);
  void Plan(Asked<PeekBodyRequest> asked, Turn& turn);
  void Plan(Asked<ExportOneRequest> asked, Turn& turn);

 private:
  TouchedLanes& touched_;
  const EntityFinder& finder_;
  // For filters.
  Random& random_;
  const StoreReplies from_store_;
};

}  // namespace wharf
