// Spans and instants as XML writes them: "P1DT2H3.5S", "2026-11-26T08:00:00.123456Z". Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/property_value.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::atom {

// The longest span that there is in Service Bus, which stands for "never".
inline constexpr std::string_view kNeverText = "P10675199DT2H48M5.4775807S";

// Of ISO 8601, with a sign before it or none. A year has 365 days and a month 30, as in .NET.
// Nothing: it is none, or longer than "never".
std::optional<Nanotime> SpanFromXml(std::string_view text);
std::string SpanToXml(const Nanotime& span);

// The span of a property; what is "never" or about so is kUnlimited. Never negative.
Result<Duration> DurationFromXml(std::string_view field, std::string_view text);
std::string DurationToXml(Duration duration);

// With an offset, with Z, or without, which is UTC, too. From the year 1 to 9999.
std::optional<Nanotime> InstantFromXml(std::string_view text);
std::string InstantToXml(const Nanotime& since_epoch);
std::string TimeToXml(Timestamp time);

}  // namespace wharf::atom
