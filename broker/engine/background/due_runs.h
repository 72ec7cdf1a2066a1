// DueRuns: of what is due in one step of the sweeper, the messages that are counted out together.
//
// Messages of a shelf that were never delivered, and expire behind each other, become a run
// (core/queue/message_run.h): one change, however many they are. Partitions have runs of their own,
// because what is sent goes round them. What comes to too short a run is handed back, to go as
// everything else does. Of a shelf of which the step before counted out a run the reader makes them
// (reading/run_walk.h), and the shard looks at a run, not at its messages: one that cannot be taken
// as it is comes again in the next step, message by message. Made for one step, used on the shard's
// thread.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "broker/core/order/partition.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/due_reader.h"

namespace wharf {

class DueRuns {
 public:
  // Outlived by the context, and by all that it takes.
  explicit DueRuns(const WorkerContext& context) : context_(context) {}

  // Whether it takes a message, which nobody changed since it was read, in the order of the hints.
  bool Take(const DueMessage& due, Turn& turn);
  // Whether it takes a run that a reader made: nobody changed any of it since the watch was begun.
  bool Take(const DueRun& due, const PageWatch& watch, Turn& turn);
  // Ends all runs; what it took and is in none.
  std::vector<const DueMessage*> Finish(Turn& turn);
  // For the next step: those of which it counted something out, and left no run.
  ShelvesInRuns TakeShelves();

 private:
  struct Open {
    MessageRun run;
    std::vector<const DueMessage*> members;
  };

  bool Fits(const DueMessage& due, Timestamp now) const;
  void Close(const Shelf& shelf, const Open& open, Turn& turn);
  // False.
  bool Refuse(const DueRun& due);

  const WorkerContext& context_;
  absl::btree_map<std::pair<Shelf, PartitionId>, Open> open_;
  std::vector<const DueMessage*> left_;
  ShelvesInRuns counted_out_;
  std::vector<Shelf> refused_;
};

}  // namespace wharf
