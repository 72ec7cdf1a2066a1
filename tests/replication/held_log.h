// HeldLog: an entry log whose disk can be made to hang, and to fail.
#pragma once

#include <atomic>
#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tests/replication/wrapped_log.h"

namespace wharf {

class HeldLog final : public WrappedLog {
 public:
  Status Sync() override {
    WaitUntilFree();
    if (fails_) return {ErrorCode::kGeneralError, "the disk is broken"};
    return log.Sync();
  }

  // From now on nothing can be synced.
  void Fail() { fails_ = true; }
  void Hold() {
    MutexLock lock(mutex_);
    is_held_ = true;
  }
  // Until somebody waits for the disk.
  void WaitUntilHanging() {
    MutexLock lock(mutex_);
    while (!is_hanging_) changed_.wait(mutex_);
  }
  void Release() {
    MutexLock lock(mutex_);
    is_held_ = false;
    changed_.notify_all();
  }

 private:
  void WaitUntilFree() {
    MutexLock lock(mutex_);
    is_hanging_ = is_held_;
    changed_.notify_all();
    while (is_held_) changed_.wait(mutex_);
    is_hanging_ = false;
  }

  std::atomic<bool> fails_ = false;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_hanging_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
