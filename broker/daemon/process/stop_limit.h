// StopLimit: a stop that stands still ends the process all the same.
//
// While it exists, a thread looks whether anything moves. A disk that does not answer can hold up
// every orderly end, and so can a request that is not done; what was acknowledged is safe without
// one. Made by the Daemon.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class StopLimit {
 public:
  // Of the log. Called on the thread that looks.
  struct Disk {
    // Rises with every write that it has done.
    std::function<std::uint64_t()> writes;
    // For how long the disk has been at something that commits wait for; zero: they do not.
    std::function<Duration()> age;
  };

  // The process ends when nothing has moved for `standstill`, and after `whole` in any case.
  StopLimit(Duration standstill, Duration whole, Disk disk);
  // In time.
  ~StopLimit();

  // What comes now has all of the standstill for itself, however little moved before.
  void BeginAnew();
  // What comes now moves without the disk's progress being seen: only `whole` counts.
  void ExpectSilence();
  // The log goes, and is asked no more; to be called before.
  void ForgetDisk();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void Watch();
  // Whether the stop has failed by now.
  bool IsTooLate(Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What it has waited for until now.
  void LogReason() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Duration standstill_;
  const Time end_;
  Mutex mutex_;
  Disk disk_ ABSL_GUARDED_BY(mutex_);
  std::condition_variable_any changed_;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_disk_forgotten_ ABSL_GUARDED_BY(mutex_) = false;
  bool expects_silence_ ABSL_GUARDED_BY(mutex_) = false;
  std::uint64_t last_writes_ ABSL_GUARDED_BY(mutex_);
  Time moved_at_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
