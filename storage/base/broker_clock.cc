#include "storage/base/broker_clock.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

constexpr Duration kFarAhead = std::chrono::hours(24 * 365);
constexpr Duration kJump = std::chrono::seconds(2);
constexpr std::int64_t kSteeringDivisor = 2000;  // 500 ppm
// What is too short to tell of, and to tell from two clocks that were not read at one instant.
constexpr Duration kSuspend = std::chrono::seconds(1);

Duration Read(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace

BrokerClock::Sources BrokerClock::SystemSources() {
  return {
      .wall =
          [] { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); },
      .monotonic = [] { return Read(CLOCK_BOOTTIME); },
      .awake = [] { return Read(CLOCK_MONOTONIC); },
  };
}

Status BrokerClock::CheckStart(Timestamp wall, Timestamp last_committed) {
  if (last_committed == Timestamp() || wall - last_committed <= kFarAhead) return Status::Ok();
  return {ErrorCode::kArgumentOutOfRange,
          "the wall clock says " + ToString(wall) + ", more than a year after the last commit at " +
              ToString(last_committed) + "; set the clock, or accept it with --accept-clock"};
}

BrokerClock::BrokerClock(Sources sources, Timestamp last_committed)
    : BrokerClock(sources, GoesOnFrom{std::max(sources.wall(), last_committed)}) {}

BrokerClock::BrokerClock(Sources sources, GoesOnFrom from)
    : sources_(std::move(sources)),
      monotonic_(sources_.monotonic()),
      asleep_(monotonic_ - sources_.awake()),
      now_(from.now) {}

Timestamp BrokerClock::Now() {
  MutexLock lock(mutex_);
  const Duration monotonic = sources_.monotonic();
  const Duration passed = std::max(monotonic - monotonic_, Duration(0));
  monotonic_ = monotonic;
  TellSuspend();
  Steer(sources_.wall(), passed);
  return now_;
}

Duration BrokerClock::Lead() {
  MutexLock lock(mutex_);
  return lead_;
}

// The thread may be held up between the two clocks; then the sum is too small this once, and right
// the next time.
void BrokerClock::TellSuspend() {
  const Duration asleep_in_all = monotonic_ - sources_.awake();
  const Duration asleep = asleep_in_all - asleep_;
  if (asleep < kSuspend) return;
  asleep_ = asleep_in_all;
  spdlog::warn("the machine was suspended for {} s; broker time has gone on meanwhile",
               std::chrono::duration_cast<std::chrono::seconds>(asleep).count());
}

// A busy broker asks every few hundred microseconds: what one step is too short for counts in the
// next.
void BrokerClock::Steer(Timestamp wall, Duration passed) {
  not_steered_ += passed;
  const Duration slack = not_steered_ / kSteeringDivisor;
  not_steered_ %= kSteeringDivisor;
  const Duration behind = wall - (now_ + passed);
  now_ += passed + std::clamp(behind, -slack, slack);
  lead_ = now_ - wall;
  const bool is_jump = std::abs(lead_.count()) > kJump.count();
  if (is_jump && !reported_jump_) {
    spdlog::warn(
        "the wall clock differs from broker time by {} ms; broker time is steered, not set",
        -lead_.count() / 1000);
  }
  reported_jump_ = is_jump;
}

}  // namespace wharf
