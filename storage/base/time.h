// Timestamp and Duration: instants and spans in microseconds.
//
// Timestamp is UTC since 1970; `kNever` stands for an instant that does not come. Arithmetic that
// could overflow goes through After, which saturates.
#pragma once

#include <chrono>
#include <string>

namespace wharf {

using Duration = std::chrono::microseconds;
using Timestamp = std::chrono::time_point<std::chrono::system_clock, Duration>;

inline constexpr Timestamp kNever = Timestamp::max();
inline constexpr Duration kUnlimited = Duration::max();

// `start + span`, or kNever where that lies beyond all time. `span` is not negative.
constexpr Timestamp After(Timestamp start, Duration span) {
  return span >= kNever - start ? kNever : start + span;
}

// ISO 8601 with microseconds, "2026-01-31T12:00:00.000000Z"; "never" for kNever.
std::string ToString(Timestamp time);

}  // namespace wharf
