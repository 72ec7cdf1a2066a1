// Lanes: the two lanes of an entity, each with the order that its description asks for.
//
// Owned by a Queue, which lends them to its other parts; used on the shard's thread.
#pragma once

#include "broker/core/queue/lane.h"

namespace wharf {

class Lanes {
 public:
  // `limits` and `watches` outlive them.
  Lanes(const EntityRecord& record, Lane::Image main, Lane::Image dead_letter,
        const LaneLimits& limits, Watches& watches);
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  Lane& main() { return main_; }
  const Lane& main() const { return main_; }
  Lane& dead_letter() { return dead_letter_; }
  const Lane& dead_letter() const { return dead_letter_; }
  Lane& of(LaneKind kind) { return kind == LaneKind::kMain ? main_ : dead_letter_; }
  const Lane& of(LaneKind kind) const { return kind == LaneKind::kMain ? main_ : dead_letter_; }

  // Another life of both, at the same place, as they are in the store now. What is asked for
  // meanwhile has changed for those that watch it.
  void Reload(Lane::Image main, Lane::Image dead_letter);

 private:
  static void Replace(Lane& lane, Lane::Image image, const LaneLimits& limits, Watches& watches);

  const EntityRecord& record_;
  const LaneLimits& limits_;
  Watches& watches_;
  Lane main_;
  Lane dead_letter_;
};

}  // namespace wharf
