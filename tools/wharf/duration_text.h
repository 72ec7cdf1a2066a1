// Durations as people write them: "30s", "5m", "1h30m", "250ms".
//
//   duration = 1*( digits unit )        each unit at most once, the larger before the smaller
//   unit     = "d" / "h" / "m" / "s" / "ms" / "us"
//
// Used by every option and JSON field that holds a duration, on any thread.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::tool {

// ArgumentError with one sentence, if it is not a duration or too long for one. Never negative.
Result<Duration> ParseDuration(std::string_view text);

// What ParseDuration reads back unchanged. `duration` is not negative.
std::string FormatDuration(Duration duration);

}  // namespace wharf::tool
