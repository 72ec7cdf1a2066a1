#include "broker/doors/amqp/codec/format_code.h"

#include <array>

namespace wharf::amqp {

std::optional<Type> TypeOf(std::uint8_t format_code) {
  switch (format_code) {
    case code::kDescribed:
      return Type::kDescribed;
    case code::kNull:
      return Type::kNull;
    case code::kTrue:
    case code::kFalse:
    case code::kBoolean:
      return Type::kBoolean;
    case code::kUbyte:
      return Type::kUbyte;
    case code::kUshort:
      return Type::kUshort;
    case code::kUint0:
    case code::kSmallUint:
    case code::kUint:
      return Type::kUint;
    case code::kUlong0:
    case code::kSmallUlong:
    case code::kUlong:
      return Type::kUlong;
    case code::kByte:
      return Type::kByte;
    case code::kShort:
      return Type::kShort;
    case code::kSmallInt:
    case code::kInt:
      return Type::kInt;
    case code::kSmallLong:
    case code::kLong:
      return Type::kLong;
    case code::kFloat:
      return Type::kFloat;
    case code::kDouble:
      return Type::kDouble;
    case code::kDecimal32:
      return Type::kDecimal32;
    case code::kDecimal64:
      return Type::kDecimal64;
    case code::kDecimal128:
      return Type::kDecimal128;
    case code::kChar:
      return Type::kChar;
    case code::kTimestamp:
      return Type::kTimestamp;
    case code::kUuid:
      return Type::kUuid;
    case code::kBinary8:
    case code::kBinary32:
      return Type::kBinary;
    case code::kString8:
    case code::kString32:
      return Type::kString;
    case code::kSymbol8:
    case code::kSymbol32:
      return Type::kSymbol;
    case code::kList0:
    case code::kList8:
    case code::kList32:
      return Type::kList;
    case code::kMap8:
    case code::kMap32:
      return Type::kMap;
    case code::kArray8:
    case code::kArray32:
      return Type::kArray;
    default:
      return std::nullopt;
  }
}

std::string_view TypeName(Type type) {
  static constexpr std::array<std::string_view, 25> kNames = {
      "null",       "boolean", "ubyte",     "ushort",         "uint",   "ulong",     "byte",
      "short",      "int",     "long",      "float",          "double", "decimal32", "decimal64",
      "decimal128", "char",    "timestamp", "uuid",           "binary", "string",    "symbol",
      "list",       "map",     "array",     "described value"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string ATypeName(Type type) {
  const bool sounds_like_a_vowel = type == Type::kInt || type == Type::kArray;
  return (sounds_like_a_vowel ? "an " : "a ") + std::string(TypeName(type));
}

}  // namespace wharf::amqp
