// StopTime: what is left of the time for which several things may take together. Used by the
// daemons, on the thread that stops their doors.
#pragma once

#include <algorithm>
#include <chrono>

#include "storage/base/time.h"

namespace wharf {

class StopTime {
 public:
  explicit StopTime(Duration whole) : end_(std::chrono::steady_clock::now() + whole) {}

  std::chrono::milliseconds left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end_ - std::chrono::steady_clock::now());
    return std::max(left, std::chrono::milliseconds(0));
  }

 private:
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace wharf
