// ByteWriter and ByteReader: the letters that keys and records are written in.
//
// The reader trusts nothing: past the end, or after a length that does not fit, it fails and stays
// failed, and gives zeros; the caller asks once, at the end of a record, whether it was whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wharf {

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void Byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  // Big-endian, so that the order of bytes is the order of numbers.
  void Fixed16(std::uint16_t value);
  void Fixed32(std::uint32_t value);
  void Fixed64(std::uint64_t value);
  // 1 to 10 bytes, short for small numbers.
  void Varint(std::uint64_t value);
  // The same for numbers that may be negative.
  void SignedVarint(std::int64_t value);
  // Its length, then the bytes.
  void Text(std::string_view text);
  // The bytes alone.
  void Raw(std::string_view bytes) { out_.append(bytes); }

 private:
  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}

  std::uint8_t Byte();
  std::uint16_t Fixed16();
  std::uint32_t Fixed32();
  std::uint64_t Fixed64();
  std::uint64_t Varint();
  std::int64_t SignedVarint();
  // Either, by its type; fails if the number does not fit.
  template <typename Integer>
  Integer Number() {
    if constexpr (std::is_signed_v<Integer>) {
      return Fitting<Integer>(SignedVarint());
    } else {
      return Fitting<Integer>(Varint());
    }
  }
  std::string_view Text();
  std::string_view Raw(std::size_t size);
  // Everything that is left.
  std::string_view Rest() { return Raw(in_.size()); }

  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }
  std::size_t left() const { return failed_ ? 0 : in_.size(); }
  // Nothing failed and nothing is left.
  bool is_whole() const { return !failed_ && in_.empty(); }

 private:
  std::uint64_t FixedBytes(std::size_t size);
  template <typename Integer, typename Wide>
  Integer Fitting(Wide value) {
    if (!std::in_range<Integer>(value)) failed_ = true;
    return failed_ ? Integer{} : static_cast<Integer>(value);
  }

  std::string_view in_;
  bool failed_ = false;
};

}  // namespace wharf
