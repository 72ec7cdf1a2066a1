// AwakeQueues: which queues do not rest, and when each is looked at next, to see whether it may.
//
// One that was just made or woke is looked at when the turn ends: most of what is made is not used
// at once, and much is woken to be asked something. What is in use then is looked at a little later
// and again, a few at a time; so what is empty between two messages does not rest and wake with
// each of them. Owned by the Catalog, used on the shard's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

class AwakeQueues {
 public:
  // Of those that were in use, in a turn in which few woke; else twice as many as woke, so that
  // there are never more of them than there are queues for long, also where many come and go.
  static constexpr std::size_t kLooksMax = 64;

  // Between two looks at one that is in use.
  explicit AwakeQueues(Duration pause) : pause_(pause) {}

  // It was made, or woke.
  void Note(EntityId queue) { noted_.push_back(queue); }
  // Those to be looked at now; each either rests then, or is in use.
  std::vector<EntityId> Take(Timestamp now) {
    std::vector<EntityId> taken = std::exchange(noted_, {});
    const std::size_t looks = std::max(kLooksMax, 2 * taken.size());
    for (std::size_t i = 0; i < looks && !used_.empty() && used_.front().first <= now; ++i) {
      taken.push_back(used_.front().second);
      used_.pop_front();
    }
    return taken;
  }
  void NoteUsed(EntityId queue, Timestamp now) { used_.emplace_back(After(now, pause_), queue); }

 private:
  const Duration pause_;
  std::vector<EntityId> noted_;
  // In the order of their times.
  std::deque<std::pair<Timestamp, EntityId>> used_;
};

}  // namespace wharf
