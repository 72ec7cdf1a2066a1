// Watches: notice which messages change while someone reads them by their numbers.
//
// The shard never waits for the disk, so a message that is asked for by its number is read first
// and planned with later. Whoever reads begins a Watch in the turn before the read; a message that
// the watch saw changed is no longer as the reader found it, and is read again. Owned by the
// Catalog, used on the shard's thread; a watch itself lives as long as its reader wants.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "broker/core/change.h"
#include "broker/core/known_ids.h"

namespace wharf {

class Watch {
 public:
  bool Saw(LaneId lane, SequenceNumber number) const {
    return messages_.contains({lane, number}) || lanes_.contains(lane);
  }

 private:
  friend class Watches;
  absl::flat_hash_set<std::pair<LaneId, SequenceNumber>> messages_;
  absl::flat_hash_set<LaneId> lanes_;
};

class Watches {
 public:
  std::shared_ptr<const Watch> Begin() {
    auto watch = std::make_shared<Watch>();
    active_.push_back(watch);
    return watch;
  }

  void Note(LaneId lane, SequenceNumber number) {
    if (active_.empty()) return;
    ForEach([&](Watch& watch) { watch.messages_.emplace(lane, number); });
  }

  // Nothing in the lane is as it was: a purge.
  void NoteAll(LaneId lane) {
    ForEach([&](Watch& watch) { watch.lanes_.insert(lane); });
  }

  // The same for message ids.
  IdWatches& ids() { return ids_; }

 private:
  template <typename Tell>
  void ForEach(Tell tell) {
    std::erase_if(active_, [&tell](const std::weak_ptr<Watch>& weak) {
      const auto watch = weak.lock();
      if (watch) tell(*watch);
      return watch == nullptr;
    });
  }

  std::vector<std::weak_ptr<Watch>> active_;
  IdWatches ids_;
};

}  // namespace wharf
