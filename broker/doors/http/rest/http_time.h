// Times as HTTP and BrokerProperties write them. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/property_value.h"
#include "storage/base/time.h"

namespace wharf::rest {

// "Thu, 01 Jan 1970 00:00:00 GMT": to the second below.
std::string HttpTime(std::int64_t seconds);
std::string HttpTime(Timestamp time);
// The same back, also with +0000 behind it, as an old SDK writes it; seconds since 1970.
std::optional<std::int64_t> HttpTimeFrom(std::string_view text);
// That, or "2026-01-31T12:00:00.5Z".
std::optional<Timestamp> InstantFrom(std::string_view text);

// "[-][d.]hh:mm:ss[.fffffff]", as .NET writes a TimeSpan.
std::string TimeSpanText(const TimeSpan& span);
std::optional<Duration> TimeSpanFrom(std::string_view text);

}  // namespace wharf::rest
