#include "tools/crash/runs/pace.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace wharf::crash {
namespace {

// What the work took on a processor of 2026 that had nothing else to do.
constexpr std::chrono::duration<double> kUsual = std::chrono::milliseconds(20);
// What wharfd has where nobody says anything else.
constexpr std::chrono::duration<double> kUsualElection = std::chrono::seconds(1);
constexpr double kElectionFactorMax = 10;
constexpr int kSteps = 10'000'000;

// Steps of a generator of random numbers, each of which needs the one before.
std::uint64_t Work(std::uint64_t state) {
  for (int i = 0; i < kSteps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

}  // namespace

double MeasureSlowness() {
  const auto begin = std::chrono::steady_clock::now();
  // Volatile, or nobody would do the work.
  volatile std::uint64_t state = static_cast<std::uint64_t>(begin.time_since_epoch().count()) | 1;
  state = Work(state);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return std::max(took / kUsual, 1.0);
}

Duration ElectionTimeoutAt(double slowness) {
  const auto timeout = kUsualElection * std::clamp(slowness, 1.0, kElectionFactorMax);
  return std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
}

}  // namespace wharf::crash
