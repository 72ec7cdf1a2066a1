// LostLocks: puts messages into quarantine whose locks could not be read when their entity was
// loaded.
//
// There may be as many as stand in a damaged file, so they come in parts, a turn each. What changed
// meanwhile is left as it is. Owned by the Shard, used on its thread.
#pragma once

#include <memory>
#include <vector>

#include "broker/core/changes/watch.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/schema/loader.h"

namespace wharf {

class LostLocks {
 public:
  LostLocks(const WorkerContext& context, Tasks& tasks) : context_(context), tasks_(tasks) {}

  // The first part in this turn.
  void Quarantine(std::vector<LostLock> lost, Turn& turn);

 private:
  struct Rest {
    std::vector<LostLock> lost;
    std::size_t next = 0;
    PageWatch watch;
  };

  void QuarantinePart(const std::shared_ptr<Rest>& rest, Turn& turn);
  void QuarantineOne(LostLock& lost, const PageWatch& watch, Turn& turn);

  const WorkerContext context_;
  Tasks& tasks_;
};

}  // namespace wharf
