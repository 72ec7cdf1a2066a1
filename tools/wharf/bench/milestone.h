// Milestone: many threads count, one waits until enough is counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "storage/base/mutex.h"

namespace wharf::tool {

class Milestone {
 public:
  explicit Milestone(std::uint64_t target) : target_(target) {}

  // Any thread.
  void Count(std::uint64_t number) {
    if (count_.fetch_add(number) + number < target_) return;
    MutexLock lock(mutex_);
    reached_.notify_all();
  }

  // It will not be reached: nobody waits any longer.
  void GiveUp() {
    MutexLock lock(mutex_);
    is_given_up_ = true;
    reached_.notify_all();
  }

  std::uint64_t count() const { return count_; }
  bool is_given_up() const { return is_given_up_; }

  // Returns at the latest at the deadline; whether it is reached.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mutex_);
    while (count_ < target_ && !is_given_up_) {
      if (reached_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    }
    return count_ >= target_;
  }

 private:
  const std::uint64_t target_;
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<bool> is_given_up_ = false;
  // Guards no field: who waits is not between its look and its wait when it is called.
  Mutex mutex_;
  std::condition_variable_any reached_;
};

}  // namespace wharf::tool
