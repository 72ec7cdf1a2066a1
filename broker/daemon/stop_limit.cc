#include "broker/daemon/stop_limit.h"

#include <chrono>
#include <cstdlib>

#include <spdlog/spdlog.h>

namespace wharf {

StopLimit::StopLimit(Duration limit) : limit_(limit), thread_([this] { Watch(); }) {}

StopLimit::~StopLimit() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StopLimit::Watch() {
  const auto deadline = std::chrono::steady_clock::now() + limit_;
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (changed_.wait_until(mutex_, deadline) != std::cv_status::timeout || is_over_) continue;
    spdlog::error(
        "wharfd ends: the stop took more than {} s, the disk does not answer; what was "
        "acknowledged is safe, and the next start reads the log",
        std::chrono::duration_cast<std::chrono::seconds>(limit_).count());
    std::_Exit(1);
  }
}

}  // namespace wharf
