// Durations as people write them: "30s", "5m", "1h30m", "250ms", "1.5h", "2w".
//
//   duration = 1*( number unit )        each unit at most once, the larger before the smaller
//   number   = digits [ "." digits ]    with a point only in the last part
//   unit     = "w" / "d" / "h" / "m" / "min" / "s" / "ms" / "us"
//
// Used by every option, key and JSON field that holds a duration, on any thread.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// The longest that the API carries: 10,000 years.
inline constexpr Duration kDurationMax = std::chrono::seconds(315'576'000'000);

// ArgumentError with one sentence, if it is not a duration or longer than kDurationMax. Never
// negative.
Result<Duration> ParseDuration(std::string_view text);

// What ParseDuration reads back unchanged. `duration` is not negative.
std::string FormatDuration(Duration duration);

// What was measured, for people: "25 us", "1.5 ms", "2.25 s".
std::string RoundedDuration(double seconds);

}  // namespace wharf
