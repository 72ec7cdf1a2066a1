// Standstill: for how long at a time the machine let nobody here go on: its processors were
// others', or all of it was stopped. A thread of its own sleeps, and looks how much later it awoke.
//
// Who is not let go on says nothing, so that another node may lead though nothing was done to the
// one that led. Asked on the run's thread.
#pragma once

#include <chrono>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/ticker.h"
#include "storage/base/time.h"
#include "tools/crash/runs/silence.h"

namespace wharf::crash {

class Standstill {
 public:
  static constexpr Duration kSleep = std::chrono::milliseconds(20);
  using Now = std::function<Silence::Time()>;

  explicit Standstill(Now now = std::chrono::steady_clock::now);

  // The longest since it was taken last, also one that is not over yet.
  Duration TakeLongest();

 private:
  void Look();

  const Now now_;
  Mutex mutex_;
  Silence silence_ ABSL_GUARDED_BY(mutex_);
  Ticker looks_;  // Last, so that it begins when everything else is there.
};

}  // namespace wharf::crash
