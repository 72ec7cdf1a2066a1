// LogLimit: how often something may be logged that others can bring about at will.
//
// A line is let through once in a while; those between are counted, and the next line tells how
// many they were. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

// Time since some moment, that never goes back.
inline Duration SteadyNow() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

class LogLimit {
 public:
  // Tells the time; whose does not matter, as long as it does not go back.
  using Now = std::function<Duration()>;

  explicit LogLimit(Duration every, Now now = SteadyNow) : every_(every), now_(std::move(now)) {}

  // How many were not let through since the last one that was; nothing if this one is not, either.
  std::optional<std::uint64_t> Admit() {
    const Duration now = now_();
    MutexLock lock(mutex_);
    if (last_ && now - *last_ < every_) {
      ++unsaid_;
      return std::nullopt;
    }
    last_ = now;
    return std::exchange(unsaid_, 0);
  }

 private:
  const Duration every_;
  const Now now_;
  Mutex mutex_;
  std::optional<Duration> last_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t unsaid_ ABSL_GUARDED_BY(mutex_) = 0;
};

// What to add to the line; nothing for 0.
inline std::string Unsaid(std::uint64_t times) {
  return times == 0 ? "" : " (and " + std::to_string(times) + " more like it before)";
}

}  // namespace wharf
