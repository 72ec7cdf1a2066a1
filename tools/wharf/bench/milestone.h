// Milestone: many threads count, one waits until enough is counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace wharf::tool {

class Milestone {
 public:
  explicit Milestone(std::uint64_t target) : target_(target) {}

  // Any thread.
  void Count(std::uint64_t number) {
    if (count_.fetch_add(number) + number < target_) return;
    const std::lock_guard lock(mutex_);
    reached_.notify_all();
  }

  // It will not be reached: nobody waits any longer.
  void GiveUp() {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
    reached_.notify_all();
  }

  std::uint64_t count() const { return count_; }
  bool is_given_up() const { return is_given_up_; }

  // Returns at the latest at the deadline; whether it is reached.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    reached_.wait_until(lock, deadline, [this] { return count_ >= target_ || is_given_up_; });
    return count_ >= target_;
  }

 private:
  const std::uint64_t target_;
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<bool> is_given_up_ = false;
  std::mutex mutex_;
  std::condition_variable reached_;
};

}  // namespace wharf::tool
