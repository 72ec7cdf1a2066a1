// LooseBodies: bodies in the store that no message names: on their way in, or on their way out to a
// receiver that took their message without a lock.
//
// Each has a row in the table `jobs` from its first chunk until a message names it or it is
// dropped. So after a crash the rows that are left tell which chunks nobody needs, and they go in
// bounded steps. So many may come at a time; one that hardly comes loses its place when another
// wants it. Owned by the Shard, used on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "broker/core/messages/message.h"
#include "broker/engine/turn/turn.h"
#include "storage/base/random.h"

namespace wharf {

class LooseBodies {
 public:
  // A body on its way in, that has a place.
  class Arriving {
   public:
    virtual ~Arriving() = default;
    // Whether its sender is too slow to keep it from another.
    virtual bool is_slow(Timestamp now) const = 0;
    // Gives the place up, with EndUpload.
    virtual void GiveWay(Turn& turn) = 0;
  };

  // `orphans` were loose when the broker started.
  LooseBodies(Random& random, std::vector<BodyRef> orphans)
      : random_(random), orphans_(std::move(orphans)) {}

  // A name for a body that is about to come; ServiceBusy if too many come at once and no upload
  // is slow. Followed by one EndUpload.
  Result<BodyRef> BeginUpload(EntityId entity, std::uint64_t size,
                              std::shared_ptr<Arriving> arriving, Turn& turn);
  void EndUpload(const Arriving& arriving);

  // Nobody will read it any more: its chunks and its row go with this turn.
  static void Drop(const BodyRef& body, Turn& turn);

  // The next orphans go with this turn; others may be left for another.
  void DropOrphans(Turn& turn);
  bool has_orphans() const { return !orphans_.empty(); }

 private:
  Random& random_;
  std::vector<BodyRef> orphans_;
  // In the order in which they began.
  std::vector<std::shared_ptr<Arriving>> arriving_;
};

}  // namespace wharf
