#include "storage/base/broker_clock.h"

#include <algorithm>
#include <cmath>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

using std::chrono::duration_cast;

constexpr Duration kFarAhead = std::chrono::hours(24 * 365);
constexpr Duration kJump = std::chrono::seconds(2);
constexpr std::int64_t kSteeringDivisor = 2000;  // 500 ppm

}  // namespace

BrokerClock::Sources BrokerClock::SystemSources() {
  return {
      .wall =
          [] { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); },
      .monotonic =
          [] {
            return duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
          },
  };
}

Status BrokerClock::CheckStart(Timestamp wall, Timestamp last_committed) {
  if (last_committed == Timestamp() || wall - last_committed <= kFarAhead) return Status::Ok();
  return {ErrorCode::kArgumentOutOfRange,
          "the wall clock says " + ToString(wall) + ", more than a year after the last commit at " +
              ToString(last_committed) + "; set the clock, or accept it with --accept-clock"};
}

BrokerClock::BrokerClock(Sources sources, Timestamp last_committed)
    : sources_(std::move(sources)),
      monotonic_(sources_.monotonic()),
      now_(std::max(sources_.wall(), last_committed)) {}

Timestamp BrokerClock::Now() {
  MutexLock lock(mutex_);
  const Duration monotonic = sources_.monotonic();
  const Duration passed = std::max(monotonic - monotonic_, Duration(0));
  monotonic_ = monotonic;
  Steer(sources_.wall(), passed);
  return now_;
}

Duration BrokerClock::Lead() {
  MutexLock lock(mutex_);
  return lead_;
}

// Small steps lose less than a microsecond each to the division; that only makes the steering
// gentler.
void BrokerClock::Steer(Timestamp wall, Duration passed) {
  const Duration slack = passed / kSteeringDivisor;
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
