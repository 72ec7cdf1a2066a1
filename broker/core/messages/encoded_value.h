// EncodedValue, looked into: what filters see of a value that is kept as AMQP encoded it, and what
// a door makes of one that comes.
//
// Knows values of fixed width, texts, and the descriptions that the SDKs have (USR-2); everything
// else is passed on unseen. Pure functions; the bytes may be damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/property_value.h"

namespace wharf {

// The other alternative of PropertyValue that says the same; nothing if there is none.
std::optional<PropertyValue> PlainOf(std::string_view encoded);

// Of a string or a symbol: a view into the bytes.
std::optional<std::string_view> TextOf(std::string_view encoded);
// Of binary.
std::optional<std::string_view> BinaryOf(std::string_view encoded);

// The text that stands for an id of another type than string: of a ulong its digits, of a uuid its
// usual form, of binary its bytes as hexadecimal digits. Nothing for what can be no id.
std::optional<std::string> IdTextOf(std::string_view encoded);

// The ticks of .NET, of 100 ns; its dates count from the year 1.
inline constexpr std::int64_t kTicksPerSecond = 10'000'000;
inline constexpr std::int64_t kSecondsFromYearOne = 62'135'596'800;

// How the SDKs describe what AMQP has no type for.
inline constexpr std::string_view kTimeSpanSymbol = "com.microsoft:timespan";
inline constexpr std::string_view kUriSymbol = "com.microsoft:uri";
inline constexpr std::string_view kDateTimeOffsetSymbol = "com.microsoft:datetime-offset";

}  // namespace wharf
