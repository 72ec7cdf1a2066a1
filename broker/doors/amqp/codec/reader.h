// Reader: takes encoded values of AMQP 1.0 off a stretch of bytes, and never looks beyond it.
//
// The first thing that is wrong ends it: from then on nothing is read, every answer is empty, and
// error() says in one sentence what is wrong and where. So a caller may read a whole list and ask
// once. What stands in the bytes is never trusted: a size ends inside of what holds it, nesting is
// bounded, and so is what a few bytes can claim. Views that it hands out stand as long as the
// bytes. It is a large class because AMQP has so many types: there is one Read for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/codec/primitives.h"
#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

struct DecodeLimits {
  // Lists, maps, arrays and descriptions inside of one another.
  int depth_max = 16;
  // That one Reader makes. An array of nulls has as many as it likes in six bytes.
  std::size_t values_max = 16384;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes, const DecodeLimits& limits = DecodeLimits())
      : bytes_(bytes), end_(bytes.size()), limits_(limits), values_left_(limits.values_max) {}

  bool ok() const { return error_.empty(); }
  // "byte 7: a string where a uint is due"; empty while all is well.
  const std::string& error() const { return error_; }
  // Whether it was only that the bytes ended too early: with more of them it may be well.
  bool has_run_out() const { return has_run_out_; }
  // The first one stays.
  void Fail(std::string_view what);
  // Says of whom the error is: "open.hostname: byte 7: ...".
  void FailedIn(std::string_view whom);

  // Of the list that was entered last, or of all bytes.
  bool at_end() const { return !ok() || at_ == end_; }
  std::size_t position() const { return at_; }
  std::string_view rest() const { return bytes_.substr(at_, end_ - at_); }

  // Nothing if there is no value, or none that AMQP knows.
  Type PeekType();
  // Takes a null, if the next value is one.
  bool TakeNull();

  // One value of exactly this type, in any of its encodings.
  void Read(bool& out);
  void Read(std::uint8_t& out);
  void Read(std::uint16_t& out);
  void Read(std::uint32_t& out);
  void Read(std::uint64_t& out);
  void Read(std::int8_t& out);
  void Read(std::int16_t& out);
  void Read(std::int32_t& out);
  void Read(std::int64_t& out);
  void Read(float& out);
  void Read(double& out);
  void Read(Decimal32& out);
  void Read(Decimal64& out);
  void Read(Decimal128& out);
  void Read(Char& out);
  void Read(TimestampMs& out);
  void Read(Uuid& out);
  void Read(Binary& out);
  void Read(std::string& out);
  void Read(Symbol& out);
  void Read(List& out);
  void Read(Map& out);
  void Read(Array& out);
  void Read(Value& out);
  // Without a copy.
  std::string_view ReadBinary();
  std::string_view ReadString();
  std::string_view ReadSymbol();

  // Over one value, which is checked like any other; its bytes, as they came.
  std::string_view TakeEncoded();

  // The descriptor of a described value comes next, then the value itself.
  void EnterDescribed();
  void LeaveDescribed();

  // What is inside is read until at_end, and must be read to its end before the list is left.
  struct Compound {
    std::uint32_t count = 0;
    std::size_t end = 0;
    std::size_t outer_end = 0;
  };
  Compound EnterList();
  // The count is of keys and values, and even.
  Compound EnterMap();
  void Leave(const Compound& compound);
  // Over what is left of it, unchecked: only where it is given up anyway.
  void Abandon(const Compound& compound);

 private:
  std::uint8_t TakeByte();
  std::uint64_t TakeNumber(std::size_t width);
  std::string_view Take(std::size_t size);
  // Whether so many bytes follow, within what holds them.
  bool Has(std::uint64_t size);
  template <std::size_t kSize>
  void TakeBytes(std::array<char, kSize>& out) {
    const std::string_view taken = Take(kSize);
    if (taken.size() == kSize) std::memcpy(out.data(), taken.data(), kSize);
  }
  // The code of the next value, which must be of this type.
  std::uint8_t TakeCode(Type type);
  // Of the next value; it must be one of AMQP's.
  std::uint8_t TakeAnyCode();
  std::string_view TakeVariable(std::uint8_t format_code);
  std::string_view CheckText(Type type, std::string_view text);
  Compound EnterCompound(std::uint8_t format_code);
  // Of a list or map, whose count is checked.
  Compound ItemsOf(std::uint8_t format_code);
  bool Descend();
  void Ascend() { --depth_; }
  bool Count(std::size_t values);

  // By the code that was taken already; an item of an array has none of its own.
  bool BooleanOf(std::uint8_t format_code);
  char32_t CharOf();
  std::int64_t SignedOf(std::uint8_t format_code);
  std::uint64_t UnsignedOf(std::uint8_t format_code);
  Value ValueOf(std::uint8_t format_code);
  Value DescribedValue();
  Value OpaqueOf(std::uint8_t format_code);
  Value CompoundOf(std::uint8_t format_code);
  void ListOf(std::uint8_t format_code, List& out);
  void MapOf(std::uint8_t format_code, Map& out);
  void ArrayOf(std::uint8_t format_code, Array& out);
  // Its descriptors are gone over if nobody wants them.
  std::uint8_t TakeConstructor(const Compound& array, std::vector<Value>* descriptors);
  void CheckRoom(const Compound& array, std::size_t item_bytes);

  void SkipOf(std::uint8_t format_code);
  void SkipDescribed();
  void SkipItems(std::uint8_t format_code);
  void SkipArray(std::uint8_t format_code);

  const std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t end_;
  const DecodeLimits limits_;
  std::size_t values_left_;
  int depth_ = 0;
  // Lists, maps and arrays that were entered and not left.
  int compounds_ = 0;
  std::string error_;
  bool has_run_out_ = false;
};

}  // namespace wharf::amqp
