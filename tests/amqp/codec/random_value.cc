#include "tests/amqp/codec/random_value.h"

#include <bit>
#include <limits>

namespace wharf::amqp {
namespace {

// Often at an edge of an encoding.
std::uint64_t Number(Generator& random) {
  switch (random() % 4) {
    case 0:
      return random() % 2 * 255 + random() % 3;
    case 1:
      return std::numeric_limits<std::uint64_t>::max() - random() % 300;
    default:
      return random() >> (random() % 64);
  }
}

std::string Letters(Generator& random) {
  const std::size_t size = random() % 20 == 0 ? 250 + random() % 12 : random() % 9;
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 26);
  return text;
}

template <std::size_t kSize>
std::array<char, kSize> Bytes(Generator& random) {
  std::array<char, kSize> bytes;
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

List RandomList(Generator& random, int depth) {
  List list;
  for (std::uint64_t i = random() % 5; i > 0; --i) {
    list.items.push_back(RandomValue(random, depth));
  }
  return list;
}

Map RandomMap(Generator& random, int depth) {
  Map map;
  for (std::uint64_t i = random() % 4; i > 0; --i) {
    map.Add(RandomValue(random, 0), RandomValue(random, depth));
  }
  return map;
}

Array RandomArray(Generator& random, int depth) {
  Array array;
  array.type = static_cast<Type>(random() % static_cast<int>(Type::kDescribed));
  const bool is_leaf = depth == 0 && array.type >= Type::kList;
  if (is_leaf) array.type = Type::kUint;
  for (std::uint64_t i = random() % 5; i > 3; --i) {
    array.descriptors.push_back(RandomValue(random, 0));
  }
  for (std::uint64_t i = random() % 5; i > 0; --i) {
    array.items.push_back(RandomValueOf(array.type, random, depth));
  }
  return array;
}

}  // namespace

Value RandomValueOf(Type type, Generator& random, int depth) {
  switch (type) {
    case Type::kNull:
      return {};
    case Type::kBoolean:
      return Value(random() % 2 == 0);
    case Type::kUbyte:
      return Value(static_cast<std::uint8_t>(random()));
    case Type::kUshort:
      return Value(static_cast<std::uint16_t>(Number(random)));
    case Type::kUint:
      return Value(static_cast<std::uint32_t>(Number(random)));
    case Type::kUlong:
      return Value(Number(random));
    case Type::kByte:
      return Value(static_cast<std::int8_t>(random()));
    case Type::kShort:
      return Value(static_cast<std::int16_t>(Number(random)));
    case Type::kInt:
      return Value(static_cast<std::int32_t>(Number(random)));
    case Type::kLong:
      return Value(static_cast<std::int64_t>(Number(random)));
    case Type::kFloat:
      return Value(static_cast<float>(static_cast<std::int32_t>(random())));
    case Type::kDouble:
      return Value(static_cast<double>(static_cast<std::int64_t>(random())));
    case Type::kDecimal32:
      return Value(Decimal32{Bytes<4>(random)});
    case Type::kDecimal64:
      return Value(Decimal64{Bytes<8>(random)});
    case Type::kDecimal128:
      return Value(Decimal128{Bytes<16>(random)});
    case Type::kChar:
      return Value(Char{static_cast<char32_t>(random() % 0xd800)});
    case Type::kTimestamp:
      return Value(TimestampMs{static_cast<std::int64_t>(Number(random))});
    case Type::kUuid:
      return Value(Uuid{Bytes<16>(random)});
    case Type::kBinary:
      return Value(Binary{Letters(random)});
    case Type::kString:
      return Value(Letters(random));
    case Type::kSymbol:
      return Value(Symbol{Letters(random)});
    case Type::kList:
      return Value(RandomList(random, depth - 1));
    case Type::kMap:
      return Value(RandomMap(random, depth - 1));
    case Type::kArray:
      return Value(RandomArray(random, depth - 1));
    case Type::kDescribed:
      return Value(Described{RandomValue(random, 0), RandomValue(random, depth - 1)});
  }
  return {};
}

Value RandomValue(Generator& random, int depth) {
  const int kinds = static_cast<int>(depth > 0 ? Type::kDescribed : Type::kSymbol) + 1;
  return RandomValueOf(static_cast<Type>(random() % kinds), random, depth);
}

void Spoil(std::string& bytes, Generator& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      break;
    default:
      bytes.erase(at, random() % 20);
      break;
  }
}

}  // namespace wharf::amqp
