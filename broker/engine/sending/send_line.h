// SendLine: sends of which the next must wait for the one before.
//
// Whether a message id is known stands in the store, and the shard never waits for the disk: so the
// sends of a queue that detects duplicates stand in line while a reader looks up the ids of those
// in front. What is planned together is committed before the next look-up starts, and a watch sees
// what transactions send meanwhile, so that no id is missed; memory does not depend on how many ids
// are remembered. And a send that goes on over several turns holds back those behind it, of its
// entity only. Owned by the Workers, used on the shard's thread.
#pragma once

#include <deque>

#include "absl/container/flat_hash_map.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/worker_context.h"

namespace wharf {

class SendLine {
 public:
  // Plans one send; `known` has its ids, and learns new ones. Null and the reason, if they cannot
  // be read.
  using Send = absl::AnyInvocable<void(Turn&, Result<KnownIds*> known) &&>;

  SendLine(const WorkerContext& context, Tasks& tasks) : context_(context), tasks_(tasks) {}

  // `ids` of the messages, `weight` how many they are, `bytes` what they hold in memory.
  struct Ticket {
    std::vector<DuplicateId> ids;
    std::size_t weight = 0;
    std::size_t bytes = 0;
    Send send;
    // Set by the line.
    ActorPtr actor{};
  };
  // At once, if nothing is to be waited for; with ServiceBusy, if too much stands in line.
  void Plan(const Queue& queue, Ticket ticket, Turn& turn);

  // Whether the next send has to stand in line.
  bool HasLine(const Queue& queue) const;
  // A send, planned in its turn, goes on in later ones: those behind it wait until it leaves. Of an
  // entity that detects no duplicates.
  void Hold(EntityId entity);
  void Leave(EntityId entity, Turn& turn);

 private:
  struct Line {
    bool detects_duplicates = false;
    std::deque<Ticket> waiting{};
    // The ids of the sends in front are being looked up, or a send goes on.
    bool is_held = false;
  };

  Status CheckRoom(const Ticket& ticket) const;
  // Goes on with the sends that wait, if none holds them back.
  void GoOn(EntityId entity, Turn& turn);
  void GoOnLater(EntityId entity);
  void LookUp(EntityId entity, Turn& turn);
  void PlanFound(EntityId entity, std::deque<Ticket> tickets, Result<KnownIds> known, Turn& turn);
  // The first ticket, which leaves the line.
  void PlanFirst(std::deque<Ticket>& tickets, Result<KnownIds*> known, Turn& turn);

  const WorkerContext context_;
  Tasks& tasks_;
  absl::flat_hash_map<EntityId, Line> lines_;
  std::size_t weight_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace wharf
