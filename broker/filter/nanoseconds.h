// Nanoseconds of instants and spans, wide enough that no sum of two of them overflows.
#pragma once

#include <limits>
#include <optional>

#include "broker/core/messages/property_value.h"

namespace wharf::sql {

using Nanoseconds = __int128;

inline constexpr Nanoseconds kNanosecondsOfASecond = 1'000'000'000;

constexpr Nanoseconds NanosecondsOf(const Nanotime& time) {
  return time.seconds * kNanosecondsOfASecond + time.nanos;
}

// A span's seconds and nanoseconds have the same sign, those of an instant count up. Nothing if
// the seconds do not fit.
constexpr std::optional<Nanotime> ToNanotime(Nanoseconds seconds, Nanoseconds rest) {
  if (seconds < std::numeric_limits<std::int64_t>::min() ||
      seconds > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return Nanotime{static_cast<std::int64_t>(seconds), static_cast<std::int32_t>(rest)};
}
constexpr std::optional<TimeSpan> ToTimeSpan(Nanoseconds length) {
  const auto time = ToNanotime(length / kNanosecondsOfASecond, length % kNanosecondsOfASecond);
  if (!time) return std::nullopt;
  return TimeSpan{*time};
}
constexpr std::optional<Instant> ToInstant(Nanoseconds since_epoch) {
  Nanoseconds seconds = since_epoch / kNanosecondsOfASecond;
  Nanoseconds rest = since_epoch % kNanosecondsOfASecond;
  if (rest < 0) {
    rest += kNanosecondsOfASecond;
    --seconds;
  }
  const auto time = ToNanotime(seconds, rest);
  if (!time) return std::nullopt;
  return Instant{*time};
}

}  // namespace wharf::sql
