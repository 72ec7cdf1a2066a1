// Fences: keeps what does not agree with itself out of use, and the rest of the broker going.
//
// Rows of an entity may contradict each other or its counters: a disk that lied, a fault of a
// version before. Nobody can tell which of them is right, so nothing of that entity is used until
// it was recounted (recounts.h): to all workers it is gone, callers hear why, and its rows stay as
// they are. A fence is a row of its own, so that it is there after a restart, also if what it was
// put up for is not seen when the broker starts. Owned by the Shard, used on its thread.
#pragma once

#include <string>

#include "broker/core/queue/queue.h"
#include "broker/engine/background/due_sweeper.h"
#include "broker/engine/entities/lost_locks.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/touched_lanes.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/topics/topics.h"

namespace wharf {

class Fences {
 public:
  Fences(const WorkerContext& context, Topics& topics, DueSweeper& sweeper, LostLocks& lost_locks,
         Registrations& registrations)
      : context_(context),
        topics_(topics),
        sweeper_(sweeper),
        lost_locks_(lost_locks),
        registrations_(registrations) {}

  // Those that were found when the broker was loaded.
  void Start(Turn& turn);
  // Once a turn, before counters are written: entities of which something was read that cannot be.
  void Plan(const TouchedLanes::Lanes& touched, Turn& turn);
  // From now on nobody uses it.
  void Fence(Queue& queue, std::string reason, Turn& turn);
  // As it is in the store, unless that contradicts itself still; what was begun with it before is
  // over. What was due of it meanwhile is looked for.
  void Lift(Queue& queue, Queue::Image image, Turn& turn);

 private:
  void NoteCounters(Queue& queue, Turn& turn);

  const WorkerContext context_;
  Topics& topics_;
  DueSweeper& sweeper_;
  LostLocks& lost_locks_;
  Registrations& registrations_;
};

}  // namespace wharf
