#include "broker/daemon/stop_limit.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kLookPace = std::chrono::milliseconds(100);

}  // namespace

StopLimit::StopLimit(Duration standstill, Duration whole, Progress progress)
    : standstill_(standstill),
      progress_(std::move(progress)),
      end_(SteadyClock::now() + whole),
      last_progress_(progress_()),
      moved_at_(SteadyClock::now()),
      thread_([this] { Watch(); }) {}

StopLimit::~StopLimit() {
  {
    MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StopLimit::ExpectSilence() {
  MutexLock lock(mutex_);
  expects_silence_ = true;
}

bool StopLimit::IsTooLate(Time now) {
  if (const std::uint64_t progress = progress_(); progress != last_progress_) {
    last_progress_ = progress;
    moved_at_ = now;
  }
  return now >= end_ || (!expects_silence_ && now - moved_at_ >= standstill_);
}

void StopLimit::Watch() {
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (IsTooLate(SteadyClock::now())) {
      spdlog::error(
          "wharfd ends: the disk does not answer, and the stop waits for it; what was "
          "acknowledged is safe, and the next start reads the log");
      std::_Exit(1);
    }
    changed_.wait_for(mutex_, kLookPace);
  }
}

}  // namespace wharf
