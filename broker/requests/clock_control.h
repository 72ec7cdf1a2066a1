// ClockControl: reads and advances broker time, where it is a clock that stands still.
//
// For tests of applications: they see what time brings without waiting for it. Made by a
// leadership; any thread may call.
#pragma once

#include "absl/base/thread_annotations.h"
#include "broker/requests/requests.h"
#include "storage/base/clock.h"
#include "storage/base/mutex.h"

namespace wharf {

class ClockControl {
 public:
  // `clock` is the broker's, or null if time passes by itself: then every call is refused.
  ClockControl(Requests& requests, ManualClock* clock) : requests_(requests), clock_(clock) {}

  Result<Timestamp> Now(const Caller& caller) const;
  // Answers, as AwaitDueRequest does, when what became due by the new time is done.
  void Advance(Duration by, Caller caller, Answer<Timestamp> answer);

 private:
  Status Move(Duration by);

  Requests& requests_;
  ManualClock* const clock_;
  // One advance at a time.
  Mutex mutex_;
};

}  // namespace wharf
