// Progress: counts what the broker acknowledged, and strikes at the count that was drawn.
//
// The blow falls in the very thread that hears the acknowledgement, so that a broker that answers
// before it has written dies in between. All threads of a run use it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "storage/base/time.h"

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

  // Waits until fewer than `backlog_max` messages lie in the broker. False: it is over.
  bool WaitForRoom(std::uint64_t backlog_max);
  // Waits until `count` more things were acknowledged. False: it is over.
  bool WaitForMore(std::uint64_t count);
  bool is_over();
  std::uint64_t acknowledged();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::uint64_t acknowledged_ = 0;
  std::uint64_t strike_at_ = 0;
  std::function<void()> strike_;
  bool has_struck_ = false;
  bool is_over_ = true;
  std::int64_t backlog_ = 0;
};

}  // namespace wharf::crash
