#include "broker/doors/amqp/codec/format_code.h"

#include <array>

namespace wharf::amqp {

namespace {

struct Row {
  std::uint8_t format_code;
  Type type;
};

constexpr Row kRows[] = {
    {code::kDescribed, Type::kDescribed},
    {code::kNull, Type::kNull},
    {code::kTrue, Type::kBoolean},
    {code::kFalse, Type::kBoolean},
    {code::kBoolean, Type::kBoolean},
    {code::kUbyte, Type::kUbyte},
    {code::kUshort, Type::kUshort},
    {code::kUint0, Type::kUint},
    {code::kSmallUint, Type::kUint},
    {code::kUint, Type::kUint},
    {code::kUlong0, Type::kUlong},
    {code::kSmallUlong, Type::kUlong},
    {code::kUlong, Type::kUlong},
    {code::kByte, Type::kByte},
    {code::kShort, Type::kShort},
    {code::kSmallInt, Type::kInt},
    {code::kInt, Type::kInt},
    {code::kSmallLong, Type::kLong},
    {code::kLong, Type::kLong},
    {code::kFloat, Type::kFloat},
    {code::kDouble, Type::kDouble},
    {code::kDecimal32, Type::kDecimal32},
    {code::kDecimal64, Type::kDecimal64},
    {code::kDecimal128, Type::kDecimal128},
    {code::kChar, Type::kChar},
    {code::kTimestamp, Type::kTimestamp},
    {code::kUuid, Type::kUuid},
    {code::kBinary8, Type::kBinary},
    {code::kBinary32, Type::kBinary},
    {code::kString8, Type::kString},
    {code::kString32, Type::kString},
    {code::kSymbol8, Type::kSymbol},
    {code::kSymbol32, Type::kSymbol},
    {code::kList0, Type::kList},
    {code::kList8, Type::kList},
    {code::kList32, Type::kList},
    {code::kMap8, Type::kMap},
    {code::kMap32, Type::kMap},
    {code::kArray8, Type::kArray},
    {code::kArray32, Type::kArray},
};

constexpr std::array<std::optional<Type>, 256> kTypes = [] {
  std::array<std::optional<Type>, 256> types;
  for (const Row& row : kRows) types[row.format_code] = row.type;
  return types;
}();

}  // namespace

std::optional<Type> TypeOf(std::uint8_t format_code) { return kTypes[format_code]; }

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
