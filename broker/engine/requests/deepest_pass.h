// DeepestPass: walks all waiting messages of a queue's sessions to tell which sessions are the
// deepest.
//
// In bounded steps, each a read and a task of the shard. One pass for a queue is under way at a
// time, and a few in all; a caller that asks for the same one meanwhile hears its result. Owned by
// the SessionHandler, used on the shard's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/session_list_reader.h"
#include "broker/requests/session_requests.h"

namespace wharf {

class DeepestPass {
 public:
  // What one answer tells at most.
  static constexpr std::size_t kSessionsMax = 100;
  // Queues that are walked at a time.
  static constexpr std::size_t kPassesMax = 16;

  // Up to kSessionsMax, the deepest first.
  using Told = absl::AnyInvocable<void(const Result<DeepestSessions>& deepest) &&>;

  explicit DeepestPass(const WorkerContext& context) : context_(context) {}

  // Joins the pass that is under way, or begins one; ServiceBusy if too many are.
  void Ask(const Queue& queue, Told told, Turn& turn);

 private:
  struct Pass {
    Shelf shelf;
    std::vector<Told> asking;
    DeepestSessions deepest;
    // The session that the last page ended in, and what was counted of it.
    std::optional<SessionDepth> unfinished;
    std::optional<std::pair<std::string, SequenceNumber>> next;
  };

  void Begin(const Queue& queue, Turn& turn);
  void Step(EntityId entity, Turn& turn);
  void Take(EntityId entity, Result<DepthPage> page, Turn& turn);
  static void Note(DeepestSessions& deepest, SessionDepth depth);
  void Finish(EntityId entity, const Status& status, Turn& turn);

  const WorkerContext context_;
  absl::flat_hash_map<EntityId, std::unique_ptr<Pass>> passes_;
};

}  // namespace wharf
