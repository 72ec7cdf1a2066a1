#include "broker/daemon/process/stop_limit.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include <spdlog/spdlog.h>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kLookPace = std::chrono::milliseconds(100);
// A sync that takes longer is what the stop waits for; others are under way at any time.
constexpr Duration kDiskMax = std::chrono::seconds(1);

}  // namespace

StopLimit::StopLimit(Duration standstill, Duration whole, Disk disk)
    : standstill_(standstill),
      end_(SteadyClock::now() + whole),
      disk_(std::move(disk)),
      last_writes_(disk_.writes()),
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

// What the log had under way when it went is done by then.
void StopLimit::BeginAnew() {
  MutexLock lock(mutex_);
  moved_at_ = SteadyClock::now();
  if (is_disk_forgotten_) disk_.age = [] { return Duration(0); };
}

void StopLimit::ExpectSilence() {
  MutexLock lock(mutex_);
  expects_silence_ = true;
}

// A sync that is under way by then is what the end of the log waits for.
void StopLimit::ForgetDisk() {
  MutexLock lock(mutex_);
  const Duration age = disk_.age();
  const auto since = SteadyNow() - age;
  is_disk_forgotten_ = true;
  disk_ = {.writes = [last = last_writes_] { return last; },
           .age = [=] { return age == Duration(0) ? age : SteadyNow() - since; }};
}

bool StopLimit::IsTooLate(Time now) {
  if (const std::uint64_t writes = disk_.writes(); writes != last_writes_) {
    last_writes_ = writes;
    moved_at_ = now;
  }
  return now >= end_ || (!expects_silence_ && now - moved_at_ >= standstill_);
}

void StopLimit::LogReason() {
  if (disk_.age() >= kDiskMax) {
    return spdlog::error(
        "wharfd ends: the disk does not answer, and the stop waits for it; what was "
        "acknowledged is safe, and the next start reads the log");
  }
  if (expects_silence_) {
    return spdlog::error(
        "wharfd ends: the tables were not closed in time; what was acknowledged is safe, and the "
        "next start reads the log");
  }
  spdlog::error(
      "wharfd ends: the disk answers, but what was taken is not done, and the stop waits for that; "
      "what was acknowledged is safe, and the next start reads the log");
}

void StopLimit::Watch() {
  MutexLock lock(mutex_);
  while (!is_over_) {
    if (IsTooLate(SteadyClock::now())) {
      LogReason();
      std::_Exit(1);
    }
    changed_.wait_for(mutex_, kLookPace);
  }
}

}  // namespace wharf
