// HeardTime: broker time as this node knows it while another one leads: what that one said last, or
// anybody who had heard it, if this node had not, carried on by the monotonic clock; never before
// what an entry said, but that may have come here long after it was written, and is not carried on.
//
// Who takes over goes on from there, whatever its own wall clock says: else all locks and messages
// might expire at once. Any thread.
#pragma once

#include <algorithm>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class HeardTime {
 public:
  void Note(Timestamp time, Duration monotonic) {
    MutexLock lock(mutex_);
    time_ = std::max(time, CarriedOn(monotonic).value_or(time));
    noted_ = monotonic;
  }

  void NoteEntry(Timestamp time) {
    MutexLock lock(mutex_);
    written_ = std::max(written_, time);
  }
  // Nothing: nobody has said any since the process began.
  std::optional<Timestamp> At(Duration monotonic) const {
    MutexLock lock(mutex_);
    if (!time_) return std::nullopt;
    return std::max(*CarriedOn(monotonic), written_);
  }

 private:
  std::optional<Timestamp> CarriedOn(Duration monotonic) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!time_) return std::nullopt;
    return *time_ + std::max(monotonic - noted_, Duration(0));
  }

  mutable Mutex mutex_;
  std::optional<Timestamp> time_ ABSL_GUARDED_BY(mutex_);
  Duration noted_ ABSL_GUARDED_BY(mutex_){};
  Timestamp written_ ABSL_GUARDED_BY(mutex_){};
};

}  // namespace wharf
