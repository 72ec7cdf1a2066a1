// The primitive types of AMQP 1.0 that C++ has no type of its own for, so that none is mistaken for
// another: a symbol is no string, a timestamp no long, binary no text.
//
// Plain values, used on every thread. `string` is std::string, always UTF-8.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace wharf::amqp {

struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};

// A character of Unicode.
struct Char {
  char32_t value = 0;
  friend bool operator==(const Char&, const Char&) = default;
};

// Milliseconds since 1970, UTC.
struct TimestampMs {
  std::int64_t ms = 0;
  friend bool operator==(const TimestampMs&, const TimestampMs&) = default;
};

// The bytes in the order of RFC 4122.
struct Uuid {
  std::array<char, 16> bytes{};
  friend bool operator==(const Uuid&, const Uuid&) = default;
};

// IEEE 754 decimals are passed on as they are; nobody here calculates with them.
struct Decimal32 {
  std::array<char, 4> bytes{};
  friend bool operator==(const Decimal32&, const Decimal32&) = default;
};
struct Decimal64 {
  std::array<char, 8> bytes{};
  friend bool operator==(const Decimal64&, const Decimal64&) = default;
};
struct Decimal128 {
  std::array<char, 16> bytes{};
  friend bool operator==(const Decimal128&, const Decimal128&) = default;
};

struct Binary {
  std::string bytes;
  friend bool operator==(const Binary&, const Binary&) = default;
};

// A name out of a constrained domain; ASCII.
struct Symbol {
  std::string text;
  friend bool operator==(const Symbol&, const Symbol&) = default;
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

}  // namespace wharf::amqp
