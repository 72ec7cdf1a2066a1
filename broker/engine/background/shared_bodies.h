// SharedBodies: takes the body of a topic's message away with the last of its copies.
//
// Each copy has a row in `body_refs`, which goes with it. How many there are is known in memory for
// bodies that were published lately; then the last one takes the body along, in the same commit. Of
// the others, and after a restart, a row in `jobs` says that somebody has to look, and a reader
// looks whether any copy is left. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/messages/message.h"
#include "broker/engine/turn/worker_context.h"

namespace wharf {

class SharedBodies {
 public:
  explicit SharedBodies(const WorkerContext& context) : context_(context) {}

  // Bodies that nobody looked at before the broker ended.
  void Start(std::vector<BodyRef> released, Turn& turn);
  // At the end of a turn, when all its other changes are there.
  void Plan(Turn& turn);

 private:
  using Key = std::pair<EntityId, SequenceNumber>;
  static Key KeyOf(const BodyRef& body) { return {body.entity, body.number}; }

  void NotePublished(const MessagePublished& published);
  // What of `released` must be looked at.
  std::vector<BodyRef> Release(Turn& turn);
  void Look(std::vector<BodyRef> bodies, Turn& turn);
  void Conclude(const std::vector<std::pair<BodyRef, Result<bool>>>& looked, Turn& turn);

  const WorkerContext context_;
  // Copies that are left of messages that were published lately.
  absl::flat_hash_map<Key, std::uint32_t> copies_;
  // Under way to a reader; true: another copy went since.
  absl::flat_hash_map<Key, bool> looking_;
  // Kept, so that it is not allocated in each turn.
  std::vector<BodyRef> released_;
};

}  // namespace wharf
