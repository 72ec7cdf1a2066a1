#include "storage/disk/return_pace.h"

#include <algorithm>

namespace wharf {

ReturnPace::ReturnPace(const Limits& limits)
    : bytes_per_second_(static_cast<std::int64_t>(limits.bytes_per_second)),
      bytes_per_look_(bytes_per_second_ / limits.looks_per_second) {}

void ReturnPace::AddLook(bool is_scarce) {
  MutexLock lock(mutex_);
  bytes_ = std::min(bytes_ + bytes_per_look_ * (is_scarce ? 2 : 1), bytes_per_second_);
}

void ReturnPace::Spend(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  bytes_ -= static_cast<std::int64_t>(bytes);
}

bool ReturnPace::may_step() const {
  MutexLock lock(mutex_);
  return bytes_ > 0;
}

}  // namespace wharf
