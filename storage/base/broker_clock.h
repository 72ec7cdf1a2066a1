// BrokerClock: broker time, which never jumps and never goes back.
//
// Read once at start (the later of the wall clock and the last committed time; or it goes on from
// an instant that is known, as where another machine told the time until now), then carried by the
// monotonic clock and steered towards the wall clock by at most 500 ppm. A jump of the wall clock
// is logged and never followed, so that no one can expire locks and messages by setting a clock.
// While the machine is suspended time goes on, as it does for everybody else; the log says so.
// Made by main.cc; any thread may ask.
#pragma once

#include <functional>

#include "absl/base/thread_annotations.h"
#include "storage/base/clock.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class BrokerClock final : public Clock {
 public:
  struct Sources {
    std::function<Timestamp()> wall;
    // Counts the time in which the machine is suspended...
    std::function<Duration()> monotonic;
    // ...and does not.
    std::function<Duration()> awake;
  };

  // The clocks of this machine.
  static Sources SystemSources();

  // Broker time as it stands when the clock is made, whatever the wall clock says.
  struct GoesOnFrom {
    Timestamp now;
  };

  // Whether broker time may start at `wall` when the store was last written at `last_committed`: a
  // wall clock more than a year ahead is refused, because following it would expire everything for
  // good.
  static Status CheckStart(Timestamp wall, Timestamp last_committed);

  BrokerClock(Sources sources, Timestamp last_committed);
  BrokerClock(Sources sources, GoesOnFrom from);

  Timestamp Now() override;
  // How far broker time is ahead of the wall clock; negative if behind.
  Duration Lead();

 private:
  void TellSuspend() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Steer(Timestamp wall, Duration passed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Sources sources_;
  Mutex mutex_;
  Duration monotonic_ ABSL_GUARDED_BY(mutex_);
  // In all, as far as it was told.
  Duration asleep_ ABSL_GUARDED_BY(mutex_);
  Timestamp now_ ABSL_GUARDED_BY(mutex_);
  Duration lead_ ABSL_GUARDED_BY(mutex_){};
  // Time that has passed and was too short to steer by a microsecond.
  Duration not_steered_ ABSL_GUARDED_BY(mutex_){};
  bool reported_jump_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
