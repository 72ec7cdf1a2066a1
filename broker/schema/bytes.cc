#include "broker/schema/bytes.h"

#include <cstddef>

namespace wharf {
namespace {

constexpr std::size_t kVarintBytesMax = 10;

// At one go: each call asks whether there is room.
template <std::size_t kBytes>
void AppendBigEndian(std::string& out, std::uint64_t value) {
  char bytes[kBytes];
  for (std::size_t i = 0; i < kBytes; ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (kBytes - 1 - i)));
  }
  out.append(bytes, kBytes);
}

}  // namespace

void ByteWriter::Fixed16(std::uint16_t value) { AppendBigEndian<2>(out_, value); }
void ByteWriter::Fixed32(std::uint32_t value) { AppendBigEndian<4>(out_, value); }
void ByteWriter::Fixed64(std::uint64_t value) { AppendBigEndian<8>(out_, value); }

void ByteWriter::Varint(std::uint64_t value) {
  char bytes[kVarintBytesMax];
  std::size_t length = 0;
  for (; value >= 0x80; value >>= 7) bytes[length++] = static_cast<char>(value | 0x80);
  bytes[length++] = static_cast<char>(value);
  out_.append(bytes, length);
}

void ByteWriter::SignedVarint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  Varint((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::Text(std::string_view text) {
  Varint(text.size());
  Raw(text);
}

std::string_view ByteReader::Raw(std::size_t size) {
  if (failed_ || size > in_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view bytes = in_.substr(0, size);
  in_.remove_prefix(size);
  return bytes;
}

std::uint64_t ByteReader::FixedBytes(std::size_t size) {
  std::uint64_t value = 0;
  for (const char c : Raw(size)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

std::uint8_t ByteReader::Byte() { return static_cast<std::uint8_t>(FixedBytes(1)); }
std::uint16_t ByteReader::Fixed16() { return static_cast<std::uint16_t>(FixedBytes(2)); }
std::uint32_t ByteReader::Fixed32() { return static_cast<std::uint32_t>(FixedBytes(4)); }
std::uint64_t ByteReader::Fixed64() { return FixedBytes(8); }

std::uint64_t ByteReader::Varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = Byte();
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t ByteReader::SignedVarint() {
  const std::uint64_t bits = Varint();
  return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
}

std::string_view ByteReader::Text() {
  const std::uint64_t size = Varint();
  if (size > left()) failed_ = true;
  return failed_ ? std::string_view() : Raw(static_cast<std::size_t>(size));
}

}  // namespace wharf
