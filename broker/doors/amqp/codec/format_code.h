// Format codes: the first byte of an encoded value, which says its type and how wide it is.
//
//   0x4_  nothing follows            0xa_  variable: a size of one byte     0xb_  of four
//   0x5_  one byte                   0xc_  compound: size and count of one  0xd_  of four
//   0x6_  two     0x7_  four         0xe_  array: size and count of one     0xf_  of four
//   0x8_  eight   0x9_  sixteen      0x00  a descriptor and a value follow
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::amqp {

// In the order of the kinds of Value.
enum class Type : std::uint8_t {
  kNull,
  kBoolean,
  kUbyte,
  kUshort,
  kUint,
  kUlong,
  kByte,
  kShort,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal32,
  kDecimal64,
  kDecimal128,
  kChar,
  kTimestamp,
  kUuid,
  kBinary,
  kString,
  kSymbol,
  kList,
  kMap,
  kArray,
  kDescribed,
};

namespace code {
inline constexpr std::uint8_t kDescribed = 0x00;
inline constexpr std::uint8_t kNull = 0x40;
inline constexpr std::uint8_t kTrue = 0x41;
inline constexpr std::uint8_t kFalse = 0x42;
inline constexpr std::uint8_t kUint0 = 0x43;
inline constexpr std::uint8_t kUlong0 = 0x44;
inline constexpr std::uint8_t kList0 = 0x45;
inline constexpr std::uint8_t kUbyte = 0x50;
inline constexpr std::uint8_t kByte = 0x51;
inline constexpr std::uint8_t kSmallUint = 0x52;
inline constexpr std::uint8_t kSmallUlong = 0x53;
inline constexpr std::uint8_t kSmallInt = 0x54;
inline constexpr std::uint8_t kSmallLong = 0x55;
inline constexpr std::uint8_t kBoolean = 0x56;
inline constexpr std::uint8_t kUshort = 0x60;
inline constexpr std::uint8_t kShort = 0x61;
inline constexpr std::uint8_t kUint = 0x70;
inline constexpr std::uint8_t kInt = 0x71;
inline constexpr std::uint8_t kFloat = 0x72;
inline constexpr std::uint8_t kChar = 0x73;
inline constexpr std::uint8_t kDecimal32 = 0x74;
inline constexpr std::uint8_t kUlong = 0x80;
inline constexpr std::uint8_t kLong = 0x81;
inline constexpr std::uint8_t kDouble = 0x82;
inline constexpr std::uint8_t kTimestamp = 0x83;
inline constexpr std::uint8_t kDecimal64 = 0x84;
inline constexpr std::uint8_t kDecimal128 = 0x94;
inline constexpr std::uint8_t kUuid = 0x98;
inline constexpr std::uint8_t kBinary8 = 0xa0;
inline constexpr std::uint8_t kString8 = 0xa1;
inline constexpr std::uint8_t kSymbol8 = 0xa3;
inline constexpr std::uint8_t kBinary32 = 0xb0;
inline constexpr std::uint8_t kString32 = 0xb1;
inline constexpr std::uint8_t kSymbol32 = 0xb3;
inline constexpr std::uint8_t kList8 = 0xc0;
inline constexpr std::uint8_t kMap8 = 0xc1;
inline constexpr std::uint8_t kList32 = 0xd0;
inline constexpr std::uint8_t kMap32 = 0xd1;
inline constexpr std::uint8_t kArray8 = 0xe0;
inline constexpr std::uint8_t kArray32 = 0xf0;
}  // namespace code

// Nothing for a code that AMQP 1.0 does not have.
std::optional<Type> TypeOf(std::uint8_t format_code);

// As the specification spells it: "ubyte", "timestamp".
std::string_view TypeName(Type type);
// "a ubyte", "an array".
std::string ATypeName(Type type);

// Bytes of a value of fixed width, or of the size before one of variable width; 0 for 0x00, too.
constexpr std::size_t WidthOf(std::uint8_t format_code) {
  switch (format_code >> 4) {
    case 0x5:
    case 0xa:
    case 0xc:
    case 0xe:
      return 1;
    case 0x6:
      return 2;
    case 0x7:
    case 0xb:
    case 0xd:
    case 0xf:
      return 4;
    case 0x8:
      return 8;
    case 0x9:
      return 16;
    default:
      return 0;
  }
}

}  // namespace wharf::amqp
