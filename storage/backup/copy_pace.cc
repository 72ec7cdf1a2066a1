#include "storage/backup/copy_pace.h"

#include <algorithm>
#include <chrono>

#include "storage/base/log_limit.h"

namespace wharf {

// Time in which nothing was copied is not made up for.
Status CopyPace::Spend(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  const Duration now = SteadyNow();
  due_ = std::max(due_, now);
  if (bytes_per_second_ > 0) {
    const double seconds = static_cast<double>(bytes) / static_cast<double>(bytes_per_second_);
    due_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  while (why_.ok() && SteadyNow() < due_) ended_.wait_for(mutex_, due_ - SteadyNow());
  return why_;
}

void CopyPace::End(const Status& why) {
  MutexLock lock(mutex_);
  if (why_.ok()) why_ = why;
  ended_.notify_all();
}

void CopyPace::Begin() {
  MutexLock lock(mutex_);
  why_ = {};
}

}  // namespace wharf
