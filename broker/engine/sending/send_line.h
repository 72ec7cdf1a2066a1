// SendLine: sends to queues that detect duplicates, in the order in which they came.
//
// Whether a message id is known stands in the store, and the shard never waits for the disk: so the
// sends of one queue stand in line while a reader looks up the ids of those in front. What is
// planned together is committed before the next look-up starts, and a watch sees what transactions
// send meanwhile, so that no id is missed; memory does not depend on how many ids are remembered.
// Owned by the Shard, used on its thread.
#pragma once

#include <deque>

#include "absl/container/flat_hash_map.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/worker_context.h"

namespace wharf {

class SendLine {
 public:
  // Plans one send; `known` has its ids, and learns new ones. Null and the reason, if they cannot
  // be read.
  using Send = absl::AnyInvocable<void(Turn&, Result<KnownIds*> known) &&>;

  explicit SendLine(const WorkerContext& context) : context_(context) {}

  // `ids` of the messages, `weight` how many they are, `bytes` what they hold in memory.
  struct Ticket {
    std::vector<DuplicateId> ids;
    std::size_t weight = 0;
    std::size_t bytes = 0;
    Send send;
  };
  // At once, if the queue does not detect duplicates; with ServiceBusy, if too much stands in line.
  void Plan(const Queue& queue, Ticket ticket, Turn& turn);

 private:
  struct Line {
    std::deque<Ticket> waiting;
    bool is_reading = false;
  };

  Status CheckRoom(const Ticket& ticket) const;
  void LookUp(EntityId entity, Turn& turn);
  void PlanAll(EntityId entity, std::deque<Ticket> tickets, Result<KnownIds> known, Turn& turn);

  const WorkerContext context_;
  absl::flat_hash_map<EntityId, Line> lines_;
  std::size_t weight_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace wharf
