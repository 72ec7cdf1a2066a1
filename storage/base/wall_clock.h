// WallClock: what the clock of this machine says, which may be wrong, and may be set. For what is
// told to people and stands in certificates; broker time is another one (BrokerClock).
#pragma once

#include <chrono>

#include "storage/base/clock.h"

namespace wharf {

class WallClock final : public Clock {
 public:
  Timestamp Now() override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

}  // namespace wharf
