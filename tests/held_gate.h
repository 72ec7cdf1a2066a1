// HeldGate: where threads of what is tested stand still for as long as the test wants them to.
//
// Any thread.
#pragma once

#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

class HeldGate {
 public:
  void Hold() {
    MutexLock lock(mutex_);
    is_held_ = true;
  }
  void Release() {
    {
      MutexLock lock(mutex_);
      is_held_ = false;
    }
    changed_.notify_all();
  }
  // Waits while it is held.
  void Pass() {
    MutexLock lock(mutex_);
    if (!is_held_) return;
    ++waiting_;
    has_held_ = true;
    changed_.notify_all();
    while (is_held_) changed_.wait(mutex_);
    --waiting_;
  }
  // Until somebody waits in Pass.
  void WaitUntilHolding() {
    MutexLock lock(mutex_);
    while (waiting_ == 0) changed_.wait(mutex_);
  }
  // Whether anybody has waited there yet.
  bool has_held() const {
    MutexLock lock(mutex_);
    return has_held_;
  }

 private:
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
