// The half of Reader that makes trees of values, or goes over them.
#include <bit>

#include <fmt/format.h>

#include "broker/doors/amqp/codec/reader.h"

namespace wharf::amqp {

Value Reader::ValueOf(std::uint8_t format_code) {
  if (!ok() || !Count(1)) return {};
  switch (*TypeOf(format_code)) {
    case Type::kNull:
      return {};
    case Type::kBoolean:
      return Value(BooleanOf(format_code));
    case Type::kUbyte:
      return Value(static_cast<std::uint8_t>(UnsignedOf(format_code)));
    case Type::kUshort:
      return Value(static_cast<std::uint16_t>(UnsignedOf(format_code)));
    case Type::kUint:
      return Value(static_cast<std::uint32_t>(UnsignedOf(format_code)));
    case Type::kUlong:
      return Value(UnsignedOf(format_code));
    case Type::kByte:
      return Value(static_cast<std::int8_t>(SignedOf(format_code)));
    case Type::kShort:
      return Value(static_cast<std::int16_t>(SignedOf(format_code)));
    case Type::kInt:
      return Value(static_cast<std::int32_t>(SignedOf(format_code)));
    case Type::kLong:
      return Value(SignedOf(format_code));
    case Type::kFloat:
      return Value(std::bit_cast<float>(static_cast<std::uint32_t>(UnsignedOf(format_code))));
    case Type::kDouble:
      return Value(std::bit_cast<double>(UnsignedOf(format_code)));
    case Type::kChar:
      return Value(Char{CharOf()});
    case Type::kTimestamp:
      return Value(TimestampMs{SignedOf(format_code)});
    case Type::kDecimal32:
    case Type::kDecimal64:
    case Type::kDecimal128:
    case Type::kUuid:
      return OpaqueOf(format_code);
    case Type::kBinary:
      return Value(Binary{std::string(TakeVariable(format_code))});
    case Type::kString:
      return Value(std::string(CheckText(Type::kString, TakeVariable(format_code))));
    case Type::kSymbol:
      return Value(Symbol{std::string(CheckText(Type::kSymbol, TakeVariable(format_code)))});
    case Type::kList:
    case Type::kMap:
    case Type::kArray:
      return CompoundOf(format_code);
    case Type::kDescribed:
      return DescribedValue();
  }
  return {};
}

Value Reader::OpaqueOf(std::uint8_t format_code) {
  const auto value = [this](auto content) {
    TakeBytes(content.bytes);
    return Value(content);
  };
  switch (format_code) {
    case code::kDecimal32:
      return value(Decimal32());
    case code::kDecimal64:
      return value(Decimal64());
    case code::kDecimal128:
      return value(Decimal128());
    default:
      return value(Uuid());
  }
}

Value Reader::CompoundOf(std::uint8_t format_code) {
  const auto value = [this, format_code](auto content, auto read) {
    (this->*read)(format_code, content);
    return Value(std::move(content));
  };
  switch (*TypeOf(format_code)) {
    case Type::kList:
      return value(List(), &Reader::ListOf);
    case Type::kMap:
      return value(Map(), &Reader::MapOf);
    default:
      return value(Array(), &Reader::ArrayOf);
  }
}

Value Reader::DescribedValue() {
  if (!Descend()) return {};
  Described described;
  described.descriptor = ValueOf(TakeAnyCode());
  described.value = ValueOf(TakeAnyCode());
  Ascend();
  return Value(std::move(described));
}

void Reader::ListOf(std::uint8_t format_code, List& out) {
  const Compound list = ItemsOf(format_code);
  for (std::uint32_t i = 0; ok() && i < list.count; ++i)
    out.items.push_back(ValueOf(TakeAnyCode()));
  Leave(list);
}

void Reader::MapOf(std::uint8_t format_code, Map& out) {
  const Compound map = ItemsOf(format_code);
  for (std::uint32_t i = 0; ok() && i < map.count; i += 2) {
    MapEntry& entry = out.entries.emplace_back();
    entry.key = ValueOf(TakeAnyCode());
    entry.value = ValueOf(TakeAnyCode());
  }
  Leave(map);
}

// 0x00 descriptor constructor | the format code of all items, which is never 0x00. There are those
// who leave it out where there is no item.
std::uint8_t Reader::TakeConstructor(const Compound& array, std::vector<Value>* descriptors) {
  if (ok() && array.count == 0 && at_ == array.end) return code::kNull;
  std::uint8_t format_code = TakeAnyCode();
  for (int i = 0; ok() && format_code == code::kDescribed; ++i) {
    if (depth_ + i >= limits_.depth_max) Fail(fmt::format("described more than {} times", i));
    if (descriptors != nullptr) {
      descriptors->push_back(ValueOf(TakeAnyCode()));
    } else {
      SkipOf(TakeAnyCode());
    }
    format_code = TakeAnyCode();
  }
  return format_code;
}

void Reader::ArrayOf(std::uint8_t format_code, Array& out) {
  const Compound array = EnterCompound(format_code);
  const std::uint8_t constructor = TakeConstructor(array, &out.descriptors);
  if (ok()) out.type = *TypeOf(constructor);
  if (array.count > values_left_) Fail(fmt::format("more than {} values", limits_.values_max));
  CheckRoom(array, WidthOf(constructor));
  for (std::uint32_t i = 0; ok() && i < array.count; ++i) out.items.push_back(ValueOf(constructor));
  Leave(array);
}

// Before anything is made of them: each item takes this many bytes at least.
void Reader::CheckRoom(const Compound& array, std::size_t item_bytes) {
  if (ok() && item_bytes > 0 && array.count > (array.end - at_) / item_bytes) {
    Fail("an array with more items than bytes");
  }
}

std::string_view Reader::TakeEncoded() {
  const std::size_t begin = at_;
  SkipOf(TakeAnyCode());
  return ok() ? bytes_.substr(begin, at_ - begin) : std::string_view();
}

void Reader::SkipOf(std::uint8_t format_code) {
  if (!ok()) return;
  switch (const Type type = *TypeOf(format_code); type) {
    case Type::kBoolean:
      BooleanOf(format_code);
      return;
    case Type::kChar:
      CharOf();
      return;
    case Type::kBinary:
    case Type::kString:
    case Type::kSymbol:
      CheckText(type, TakeVariable(format_code));
      return;
    case Type::kList:
    case Type::kMap:
      return SkipItems(format_code);
    case Type::kArray:
      return SkipArray(format_code);
    case Type::kDescribed:
      return SkipDescribed();
    default:
      Take(WidthOf(format_code));
  }
}

void Reader::SkipDescribed() {
  if (!Descend()) return;
  SkipOf(TakeAnyCode());
  SkipOf(TakeAnyCode());
  Ascend();
}

void Reader::SkipItems(std::uint8_t format_code) {
  const Compound items = ItemsOf(format_code);
  for (std::uint32_t i = 0; ok() && i < items.count; ++i) SkipOf(TakeAnyCode());
  Leave(items);
}

void Reader::SkipArray(std::uint8_t format_code) {
  const Compound array = EnterCompound(format_code);
  const std::uint8_t constructor = TakeConstructor(array, nullptr);
  const std::size_t width = WidthOf(constructor);
  CheckRoom(array, width);
  // What takes no bytes needs no look.
  const std::uint32_t count = width == 0 ? 0 : array.count;
  for (std::uint32_t i = 0; ok() && i < count; ++i) SkipOf(constructor);
  Leave(array);
}

}  // namespace wharf::amqp
