#include "broker/schema/bytes.h"

namespace wharf {
namespace {

void AppendBigEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

}  // namespace

void ByteWriter::Fixed16(std::uint16_t value) { AppendBigEndian(out_, value, 2); }
void ByteWriter::Fixed32(std::uint32_t value) { AppendBigEndian(out_, value, 4); }
void ByteWriter::Fixed64(std::uint64_t value) { AppendBigEndian(out_, value, 8); }

void ByteWriter::Varint(std::uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<char>(value));
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
