#include "broker/doors/amqp/codec/array_writer.h"

#include <bit>
#include <cassert>
#include <cstdint>
#include <string_view>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/codec/writer.h"

namespace wharf::amqp {

namespace {

void Put(std::uint64_t value, std::size_t width, std::string& out) {
  for (std::size_t i = width; i-- > 0;) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint8_t WidestCode(Type type) {
  static constexpr std::uint8_t kCodes[] = {
      code::kNull,     code::kBoolean,   code::kUbyte,     code::kUshort,    code::kUint,
      code::kUlong,    code::kByte,      code::kShort,     code::kInt,       code::kLong,
      code::kFloat,    code::kDouble,    code::kDecimal32, code::kDecimal64, code::kDecimal128,
      code::kChar,     code::kTimestamp, code::kUuid,      code::kBinary32,  code::kString32,
      code::kSymbol32, code::kList32,    code::kMap32,     code::kArray32};
  assert(type != Type::kDescribed);
  return kCodes[static_cast<std::size_t>(type)];
}

// The size counts the four bytes of the count.
void PutCompound(std::size_t count, std::string_view items, std::string& out) {
  Put(items.size() + 4, 4, out);
  Put(count, 4, out);
  out.append(items);
}

// An item without its constructor.
struct ItemWriter {
  std::string& out;

  void operator()(Null) const {}
  void operator()(bool value) const { Put(value ? 1 : 0, 1, out); }
  template <std::integral T>
  void operator()(T value) const {
    Put(static_cast<std::uint64_t>(value), sizeof(T), out);
  }
  void operator()(float value) const { Put(std::bit_cast<std::uint32_t>(value), 4, out); }
  void operator()(double value) const { Put(std::bit_cast<std::uint64_t>(value), 8, out); }
  void operator()(Char value) const { Put(value.value, 4, out); }
  void operator()(TimestampMs value) const { Put(static_cast<std::uint64_t>(value.ms), 8, out); }
  void operator()(const Binary& value) const { Variable(value.bytes); }
  void operator()(const std::string& value) const { Variable(value); }
  void operator()(const Symbol& value) const { Variable(value.text); }
  void operator()(const List& value) const {
    std::string items;
    for (const Value& item : value.items) Writer(items).Write(item);
    PutCompound(value.items.size(), items, out);
  }
  void operator()(const Map& value) const {
    std::string items;
    for (const MapEntry& entry : value.entries) {
      Writer(items).Write(entry.key);
      Writer(items).Write(entry.value);
    }
    PutCompound(2 * value.entries.size(), items, out);
  }
  void operator()(const Array& value) const { PutArray(value, out); }
  void operator()(const Boxed<Described>&) const { assert(false); }
  // uuid and decimals.
  template <typename T>
  requires requires(const T& value) { value.bytes.size(), value.bytes.max_size(); }
  void operator()(const T& value) const { out.append(value.bytes.data(), value.bytes.size()); }

  void Variable(std::string_view bytes) const {
    Put(bytes.size(), 4, out);
    out.append(bytes);
  }

  static void PutArray(const Array& array, std::string& out);
};

void ItemWriter::PutArray(const Array& array, std::string& out) {
  std::string items;
  for (const Value& descriptor : array.descriptors) {
    items.push_back(static_cast<char>(code::kDescribed));
    Writer(items).Write(descriptor);
  }
  items.push_back(static_cast<char>(WidestCode(array.type)));
  for (const Value& item : array.items) {
    assert(item.type() == array.type);
    std::visit(ItemWriter{items}, item.content());
  }
  PutCompound(array.items.size(), items, out);
}

}  // namespace

void WriteArray(const Array& array, std::string& out) {
  std::string wide;
  ItemWriter::PutArray(array, wide);
  const std::size_t bytes = wide.size() - 8;
  if (bytes + 1 > 0xff || array.items.size() > 0xff) {
    out.push_back(static_cast<char>(code::kArray32));
    out.append(wide);
    return;
  }
  out.push_back(static_cast<char>(code::kArray8));
  Put(bytes + 1, 1, out);
  Put(array.items.size(), 1, out);
  out.append(wide, 8);
}

}  // namespace wharf::amqp
