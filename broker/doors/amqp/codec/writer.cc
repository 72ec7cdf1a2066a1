#include "broker/doors/amqp/codec/writer.h"

#include <bit>
#include <cassert>
#include <limits>

#include "broker/doors/amqp/codec/array_writer.h"

namespace wharf::amqp {

namespace {

// Begin leaves room for the widest head: code, size and count of four bytes.
constexpr std::size_t kHeadBytes = 9;

template <typename Small>
bool Fits(std::int64_t value) {
  return value >= std::numeric_limits<Small>::min() && value <= std::numeric_limits<Small>::max();
}

void StoreNumber(std::uint64_t value, std::size_t width, char* to) {
  for (std::size_t i = 0; i < width; ++i) {
    to[i] = static_cast<char>(value >> (8 * (width - 1 - i)));
  }
}

}  // namespace

void Writer::PutNumber(std::uint64_t value, std::size_t width) {
  out_.resize(out_.size() + width);
  StoreNumber(value, width, out_.data() + out_.size() - width);
}

void Writer::PutVariable(std::uint8_t code8, std::string_view bytes) {
  const bool is_short = bytes.size() <= 0xff;
  PutCode(is_short ? code8 : code8 + 0x10);
  PutNumber(bytes.size(), is_short ? 1 : 4);
  out_.append(bytes);
}

void Writer::Write(std::uint8_t value) {
  PutCode(code::kUbyte);
  PutNumber(value, 1);
}

void Writer::Write(std::uint16_t value) {
  PutCode(code::kUshort);
  PutNumber(value, 2);
}

void Writer::Write(std::uint32_t value) {
  if (value == 0) return PutCode(code::kUint0);
  const bool is_small = value <= 0xff;
  PutCode(is_small ? code::kSmallUint : code::kUint);
  PutNumber(value, is_small ? 1 : 4);
}

void Writer::Write(std::uint64_t value) {
  if (value == 0) return PutCode(code::kUlong0);
  const bool is_small = value <= 0xff;
  PutCode(is_small ? code::kSmallUlong : code::kUlong);
  PutNumber(value, is_small ? 1 : 8);
}

void Writer::Write(std::int8_t value) {
  PutCode(code::kByte);
  PutNumber(static_cast<std::uint8_t>(value), 1);
}

void Writer::Write(std::int16_t value) {
  PutCode(code::kShort);
  PutNumber(static_cast<std::uint16_t>(value), 2);
}

void Writer::Write(std::int32_t value) {
  const bool is_small = Fits<std::int8_t>(value);
  PutCode(is_small ? code::kSmallInt : code::kInt);
  PutNumber(static_cast<std::uint32_t>(value), is_small ? 1 : 4);
}

void Writer::Write(std::int64_t value) {
  const bool is_small = Fits<std::int8_t>(value);
  PutCode(is_small ? code::kSmallLong : code::kLong);
  PutNumber(static_cast<std::uint64_t>(value), is_small ? 1 : 8);
}

void Writer::Write(float value) {
  PutCode(code::kFloat);
  PutNumber(std::bit_cast<std::uint32_t>(value), 4);
}

void Writer::Write(double value) {
  PutCode(code::kDouble);
  PutNumber(std::bit_cast<std::uint64_t>(value), 8);
}

void Writer::Write(const Decimal32& value) {
  PutCode(code::kDecimal32);
  out_.append(value.bytes.data(), value.bytes.size());
}

void Writer::Write(const Decimal64& value) {
  PutCode(code::kDecimal64);
  out_.append(value.bytes.data(), value.bytes.size());
}

void Writer::Write(const Decimal128& value) {
  PutCode(code::kDecimal128);
  out_.append(value.bytes.data(), value.bytes.size());
}

void Writer::Write(Char value) {
  PutCode(code::kChar);
  PutNumber(value.value, 4);
}

void Writer::Write(TimestampMs value) {
  PutCode(code::kTimestamp);
  PutNumber(static_cast<std::uint64_t>(value.ms), 8);
}

void Writer::Write(const Uuid& value) {
  PutCode(code::kUuid);
  out_.append(value.bytes.data(), value.bytes.size());
}

void Writer::Write(const List& value) {
  const Mark begin = Begin();
  for (const Value& item : value.items) Write(item);
  EndList(begin, static_cast<std::uint32_t>(value.items.size()));
}

void Writer::Write(const Map& value) {
  const Mark begin = Begin();
  for (const MapEntry& entry : value.entries) {
    Write(entry.key);
    Write(entry.value);
  }
  EndMap(begin, static_cast<std::uint32_t>(2 * value.entries.size()));
}

void Writer::Write(const Array& value) { WriteArray(value, out_); }

void Writer::Write(const Value& value) {
  if (const Described* const described = value.AsDescribed()) return Write(*described);
  std::visit(
      [this](const auto& content) {
        using T = std::decay_t<decltype(content)>;
        if constexpr (!std::is_same_v<T, Boxed<Described>>) Write(content);
      },
      value.content());
}

void Writer::Write(const Described& value) {
  PutCode(code::kDescribed);
  Write(value.descriptor);
  Write(value.value);
}

void Writer::BeginDescribed(std::uint64_t descriptor) {
  PutCode(code::kDescribed);
  Write(descriptor);
}

Writer::Mark Writer::Begin() {
  const Mark begin = out_.size();
  out_.resize(begin + kHeadBytes);
  return begin;
}

void Writer::EndList(Mark begin, std::uint32_t count) {
  if (count > 0) return End(begin, count, code::kList8);
  out_.resize(begin);
  PutCode(code::kList0);
}

void Writer::EndMap(Mark begin, std::uint32_t count) { End(begin, count, code::kMap8); }

// The size counts what stands behind it: the count and the values.
void Writer::End(Mark begin, std::uint32_t count, std::uint8_t code8) {
  const std::size_t bytes = out_.size() - begin - kHeadBytes;
  const bool is_short = bytes + 1 <= 0xff && count <= 0xff;
  const std::size_t width = is_short ? 1 : 4;
  assert(bytes + width <= std::numeric_limits<std::uint32_t>::max());
  char* const head = out_.data() + begin;
  head[0] = static_cast<char>(is_short ? code8 : code8 + 0x10);
  StoreNumber(bytes + width, width, head + 1);
  StoreNumber(count, width, head + 1 + width);
  if (is_short) out_.erase(begin + 1 + 2 * width, kHeadBytes - 1 - 2 * width);
}

}  // namespace wharf::amqp
