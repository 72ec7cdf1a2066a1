// Mutex and MutexLock: std::mutex, with the words that clang's -Wthread-safety understands.
//
// A field says ABSL_GUARDED_BY(mutex_), a function ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_). Not
// absl::Mutex: the thread sanitizer cannot look into a library that was built without it. Wait for
// something with std::condition_variable_any, in a loop.
#pragma once

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace wharf {

class ABSL_LOCKABLE Mutex {
 public:
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace wharf
