// PeekHandler: shows messages as they stand in the store.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/peek_requests.h"

namespace wharf {

class Shard;

class PeekHandler {
 public:
  PeekHandler(Shard& shard, const StoreReplies& from_store)
      : shard_(shard), from_store_(from_store) {}

  void Plan(Asked<PeekRequest> asked, Turn& turn);

 private:
  Shard& shard_;
  const StoreReplies from_store_;
};

}  // namespace wharf
