// PropertyValue: a typed value that travels with a message and is never interpreted here.
//
// The types are those of the Service Bus SDKs (USR-2); what else AMQP can say is kept encoded.
// Plain values, used everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace wharf {

// An instant or a span to the nanosecond, as applications exchange it.
struct Nanotime {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  friend bool operator==(const Nanotime&, const Nanotime&) = default;
};

struct Decimal {
  std::string text;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};
struct Uuid {
  std::array<char, 16> bytes{};
  friend bool operator==(const Uuid&, const Uuid&) = default;
};
struct Uri {
  std::string text;
  friend bool operator==(const Uri&, const Uri&) = default;
};
struct Instant {
  Nanotime since_epoch;
  friend bool operator==(const Instant&, const Instant&) = default;
};
struct TimeSpan {
  Nanotime length;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
struct DateTimeOffset {
  Nanotime since_epoch;
  friend bool operator==(const DateTimeOffset&, const DateTimeOffset&) = default;
};

// One value of AMQP 1.0 as its sender wrote it, where no other alternative gives back the same
// bytes: a symbol, binary, a list, a map, an array, a decimal, a description that nobody here
// knows, or a number in a longer encoding than it needs (ENC-3). What is in it: encoded_value.h.
struct EncodedValue {
  std::string bytes;
  friend bool operator==(const EncodedValue&, const EncodedValue&) = default;
};

// The order of the alternatives is the type number on disk; new ones go to the end. monostate is
// null.
using PropertyValue =
    std::variant<std::monostate, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                 std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double, Decimal,
                 char32_t, std::string, Uuid, Instant, TimeSpan, Uri, DateTimeOffset, EncodedValue>;

// In the order the sender gave them; names keep their case and may differ only in it (USR-4).
using PropertyMap = std::vector<std::pair<std::string, PropertyValue>>;

// Sets or overwrites each property of `changes` (STL-7).
void Merge(PropertyMap& properties, const PropertyMap& changes);

// Bytes of a property's name and value, as they count toward the limits.
std::size_t SizeOf(const std::pair<std::string, PropertyValue>& property);
std::size_t SizeOf(const PropertyMap& properties);

}  // namespace wharf
