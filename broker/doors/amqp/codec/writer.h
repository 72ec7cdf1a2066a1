// Writer: puts encoded values of AMQP 1.0 behind a string, each in its shortest encoding.
//
// What it is given is trusted: text of strings is UTF-8, symbols are ASCII. A list or map is
// written between Begin and End, which then knows how large it became. On the caller's thread. It
// is a large class because there is one Write for each type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/codec/primitives.h"
#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void WriteNull() { PutCode(code::kNull); }
  void Write(Null) { WriteNull(); }
  void Write(bool value) { PutCode(value ? code::kTrue : code::kFalse); }
  void Write(std::uint8_t value);
  void Write(std::uint16_t value);
  void Write(std::uint32_t value);
  void Write(std::uint64_t value);
  void Write(std::int8_t value);
  void Write(std::int16_t value);
  void Write(std::int32_t value);
  void Write(std::int64_t value);
  void Write(float value);
  void Write(double value);
  void Write(const Decimal32& value);
  void Write(const Decimal64& value);
  void Write(const Decimal128& value);
  void Write(Char value);
  void Write(TimestampMs value);
  void Write(const Uuid& value);
  void Write(const Binary& value) { WriteBinary(value.bytes); }
  void Write(const std::string& value) { WriteString(value); }
  void Write(const Symbol& value) { WriteSymbol(value.text); }
  void Write(const List& value);
  void Write(const Map& value);
  void Write(const Array& value);
  void Write(const Value& value);
  void Write(const Described& value);
  void WriteBinary(std::string_view bytes) { PutVariable(code::kBinary8, bytes); }
  void WriteString(std::string_view text) { PutVariable(code::kString8, text); }
  void WriteSymbol(std::string_view text) { PutVariable(code::kSymbol8, text); }
  // A null pointer would be true, and a literal is no type of AMQP's.
  void Write(const char*) = delete;

  // One value that was encoded before.
  void WriteEncoded(std::string_view encoded) { out_.append(encoded); }
  // The value itself comes next.
  void BeginDescribed(std::uint64_t descriptor);

  using Mark = std::size_t;
  Mark Begin();
  // `count`: the values since Begin; of a map keys and values.
  void EndList(Mark begin, std::uint32_t count);
  void EndMap(Mark begin, std::uint32_t count);

 private:
  void PutCode(std::uint8_t format_code) { out_.push_back(static_cast<char>(format_code)); }
  void PutNumber(std::uint64_t value, std::size_t width);
  // The code of the kind with a size of one byte; the other one is 0x10 above.
  void PutVariable(std::uint8_t code8, std::string_view bytes);
  void End(Mark begin, std::uint32_t count, std::uint8_t code8);

  std::string& out_;
};

// One value, alone.
template <typename T>
std::string Encoded(const T& value) {
  std::string out;
  Writer(out).Write(value);
  return out;
}

}  // namespace wharf::amqp
