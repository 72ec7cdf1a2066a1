// LooseBodies: bodies in the store that no message names: on their way in, or on their way out to a
// receiver that took their message without a lock.
//
// Each has a row in the table `jobs` from its first chunk until a message names it or it is
// dropped. So after a crash the rows that are left tell which chunks nobody needs, and they go in
// bounded steps. Owned by the Shard, used on its thread.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/core/message.h"
#include "broker/engine/turn.h"
#include "storage/base/random.h"

namespace wharf {

class LooseBodies {
 public:
  // `orphans` were loose when the broker started.
  LooseBodies(Random& random, std::vector<BodyRef> orphans)
      : random_(random), orphans_(std::move(orphans)) {}

  // A name for a body that is about to come; ServiceBusy if too many come at once. Followed by one
  // EndUpload.
  Result<BodyRef> BeginUpload(EntityId entity, std::uint64_t size);
  void EndUpload() { --uploads_; }

  // Nobody will read it any more: its chunks and its row go with this turn.
  static void Drop(const BodyRef& body, Turn& turn);

  // The next orphans go with this turn; others may be left for another.
  void DropOrphans(Turn& turn);
  bool has_orphans() const { return !orphans_.empty(); }

 private:
  Random& random_;
  std::vector<BodyRef> orphans_;
  std::size_t uploads_ = 0;
};

}  // namespace wharf
