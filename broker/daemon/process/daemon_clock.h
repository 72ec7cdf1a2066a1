// DaemonClock: broker time, carried by the clocks of this machine or standing still until it is
// advanced. Made by main.cc.
#pragma once

#include <memory>

#include "storage/base/clock.h"

namespace wharf {

struct DaemonClock {
  std::unique_ptr<Clock> clock;
  ManualClock* manual = nullptr;  // The same clock, if it stands still.
};

// A manual clock does not follow the wall clock, so it needs it only where there is no time yet.
DaemonClock MakeClock(bool is_manual, Timestamp last_committed);

}  // namespace wharf
