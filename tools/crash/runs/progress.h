// Progress: counts what the broker acknowledged, and strikes at the count that was drawn.
//
// The blow falls in the very thread that hears the acknowledgement, so that a broker that answers
// before it has written dies in between. All threads of a run use it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"
#include "tools/crash/runs/silence.h"

namespace wharf::crash {

class Progress {
 public:
  // Calls `strike` at the acknowledgement that makes it `count` from now on; the count so far is
  // forgotten.
  void Arm(std::uint64_t count, std::function<void()> strike);
  // False if it did not come to the blow in time.
  bool WaitForStrike(Duration patience);
  // Wakes everyone who waits: there will be no more progress.
  void Stop();

  void NoteAcknowledged(std::uint64_t count = 1);
  // So many messages lie in the broker; what was not heard of is counted now.
  void SetBacklog(std::uint64_t count);
  // Messages that came to lie in the broker, and that left it.
  void NoteArrived(std::uint64_t count);
  void NoteGone(std::uint64_t count);

  // Waits until fewer than `backlog_max` messages lie in the broker; after the blow it may be more,
  // as everybody is to work while something is wrong. False: it is over.
  bool WaitForRoom(std::uint64_t backlog_max);
  // Waits until `count` more things were acknowledged. False: it is over.
  bool WaitForMore(std::uint64_t count);
  // The same, but not for ever.
  void AwaitMore(std::uint64_t count, Duration patience);
  bool is_over();
  std::uint64_t acknowledged();
  // Since the blow.
  Duration LongestSilence();

 private:
  static constexpr std::uint64_t kStruckFactor = 10;

  std::int64_t RoomFor(std::uint64_t backlog_max) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t acknowledged_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t strike_at_ ABSL_GUARDED_BY(mutex_) = 0;
  std::function<void()> strike_ ABSL_GUARDED_BY(mutex_);
  bool has_struck_ ABSL_GUARDED_BY(mutex_) = false;
  Silence silence_ ABSL_GUARDED_BY(mutex_);
  bool is_over_ ABSL_GUARDED_BY(mutex_) = true;
  std::int64_t backlog_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf::crash
