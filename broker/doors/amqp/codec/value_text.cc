#include "broker/doors/amqp/codec/value_text.h"

#include <cstdint>

#include <fmt/format.h>

namespace wharf::amqp {

namespace {

struct TextWriter {
  std::string& out;

  void operator()(Null) const { out += "null"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void operator()(T value) const {
    const auto type = Value(value).type();
    out += fmt::format("{}:{}", value, TypeName(type));
  }
  void operator()(Char value) const {
    out += fmt::format("U+{:04x}", static_cast<std::uint32_t>(value.value));
  }
  void operator()(TimestampMs value) const { out += fmt::format("{}:ms", value.ms); }
  void operator()(const Binary& value) const { out += "b'" + HexOf(value.bytes) + "'"; }
  void operator()(const std::string& value) const { out += TextOfString(value); }
  void operator()(const Symbol& value) const { out += ":" + value.text; }
  void operator()(const List& value) const { Items(value.items); }
  void operator()(const Map& value) const {
    std::string_view separator = "{";
    for (const MapEntry& entry : value.entries) {
      out += fmt::format("{}{} {}", separator, TextOf(entry.key), TextOf(entry.value));
      separator = ", ";
    }
    out += value.entries.empty() ? "{}" : "}";
  }
  void operator()(const Array& value) const {
    out += "array ";
    for (const Value& descriptor : value.descriptors) out += "@" + TextOf(descriptor) + " ";
    out += TypeName(value.type);
    Items(value.items);
  }
  void operator()(const Boxed<Described>& value) const {
    out += "@" + TextOf(value->descriptor) + " " + TextOf(value->value);
  }
  void operator()(const Uuid& value) const { Opaque("uuid", value.bytes); }
  void operator()(const Decimal32& value) const { Opaque("decimal32", value.bytes); }
  void operator()(const Decimal64& value) const { Opaque("decimal64", value.bytes); }
  void operator()(const Decimal128& value) const { Opaque("decimal128", value.bytes); }

  void Items(const std::vector<Value>& items) const {
    out += "[";
    std::string_view separator;
    for (const Value& item : items) {
      out += fmt::format("{}{}", separator, TextOf(item));
      separator = ", ";
    }
    out += "]";
  }
  template <std::size_t kSize>
  void Opaque(std::string_view type, const std::array<char, kSize>& bytes) const {
    out += fmt::format("{}'{}'", type, HexOf({bytes.data(), bytes.size()}));
  }
};

}  // namespace

std::string TextOf(const Value& value) {
  std::string out;
  std::visit(TextWriter{out}, value.content());
  return out;
}

std::string TextOfString(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<std::uint8_t>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (letter == '"' || letter == '\\') out += '\\';
      out += letter;
    }
  }
  return out + "\"";
}

std::string HexOf(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return out;
}

}  // namespace wharf::amqp
