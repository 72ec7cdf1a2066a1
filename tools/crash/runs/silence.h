// Silence: for how long at a time nothing was acknowledged, from one moment on.
//
// A value; whoever shares it guards it.
#pragma once

#include <algorithm>
#include <chrono>

#include "storage/base/time.h"

namespace wharf::crash {

class Silence {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // What was before is forgotten.
  void Begin(Time now) {
    last_ = now;
    longest_ = {};
  }
  void NoteAcknowledged(Time now) {
    longest_ = Longest(now);
    last_ = now;
  }
  // The one that is not over counts, too.
  Duration Longest(Time now) const {
    return std::max(longest_, std::chrono::duration_cast<Duration>(now - last_));
  }

 private:
  Time last_{};
  Duration longest_{};
};

}  // namespace wharf::crash
