// StateSearch: whom a node that has lost its state asks for a snapshot, and when: the other members
// that it reaches, one after the other, until one has sent it. One that makes a snapshot is given
// time; one that has none, or says nothing, is followed by the next.
//
// Any thread. Of a ClusterNode.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "replication/identity/node_identity.h"
#include "replication/snapshots/snapshot_message.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class StateSearch {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(5);
  static constexpr Duration kMakingPatience = std::chrono::minutes(2);

  // Begins with any of them: who is asked first makes a snapshot, which costs it something.
  explicit StateSearch(std::uint64_t chance) : turn_(chance) {}

  // Whom to ask now; nothing: nobody is reached, or there is somebody to wait for.
  std::optional<NodeId> Next(const std::vector<NodeId>& reached, Duration now) {
    MutexLock lock(mutex_);
    if (has_ended_ || reached.empty() || now < next_) return std::nullopt;
    next_ = now + kPatience;
    return reached[turn_++ % reached.size()];
  }

  void Note(SnapshotNotice::Kind said, Duration now) {
    MutexLock lock(mutex_);
    if (said == SnapshotNotice::Kind::kNone) next_ = now;
    if (said == SnapshotNotice::Kind::kBeingMade) next_ = now + kMakingPatience;
  }

  // A state is here, as a whole.
  void End() {
    MutexLock lock(mutex_);
    has_ended_ = true;
  }
  bool has_ended() const {
    MutexLock lock(mutex_);
    return has_ended_;
  }

 private:
  mutable Mutex mutex_;
  std::uint64_t turn_ ABSL_GUARDED_BY(mutex_);
  Duration next_ ABSL_GUARDED_BY(mutex_){};
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
