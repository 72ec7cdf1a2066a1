#include "broker/doors/amqp/codec/reader.h"

#include <bit>

#include <fmt/format.h>

#include "broker/doors/amqp/codec/text_check.h"

namespace wharf::amqp {

void Reader::Fail(std::string_view what) {
  if (ok()) error_ = fmt::format("byte {}: {}", at_, what);
}

void Reader::FailedIn(std::string_view whom) {
  if (!ok()) error_ = fmt::format("{}: {}", whom, error_);
}

bool Reader::Has(std::uint64_t size) {
  if (size <= end_ - at_) return true;
  // All bytes of a list are there before it is entered.
  has_run_out_ = ok() && compounds_ == 0;
  Fail(fmt::format("{} bytes are due, and there are {}", size, end_ - at_));
  return false;
}

std::string_view Reader::Take(std::size_t size) {
  if (!ok() || !Has(size)) return {};
  const std::string_view taken = bytes_.substr(at_, size);
  at_ += size;
  return taken;
}

std::uint8_t Reader::TakeByte() {
  const std::string_view taken = Take(1);
  return taken.empty() ? 0 : static_cast<std::uint8_t>(taken[0]);
}

std::uint64_t Reader::TakeNumber(std::size_t width) {
  std::uint64_t number = 0;
  for (const char byte : Take(width)) number = (number << 8) | static_cast<std::uint8_t>(byte);
  return number;
}

std::uint8_t Reader::TakeAnyCode() {
  const std::uint8_t format_code = TakeByte();
  if (ok() && !TypeOf(format_code)) {
    --at_;
    Fail(fmt::format("0x{:02x} is no format code", format_code));
  }
  return format_code;
}

std::uint8_t Reader::TakeCode(Type type) {
  const std::uint8_t format_code = TakeAnyCode();
  if (!ok() || TypeOf(format_code) == type) return format_code;
  --at_;
  Fail(fmt::format("{} where {} is due", ATypeName(*TypeOf(format_code)), ATypeName(type)));
  return 0;
}

Type Reader::PeekType() {
  if (!ok()) return Type::kNull;
  const std::size_t before = at_;
  const std::uint8_t format_code = TakeAnyCode();
  if (!ok()) return Type::kNull;
  at_ = before;
  return *TypeOf(format_code);
}

bool Reader::TakeNull() {
  if (!ok() || at_ == end_ || static_cast<std::uint8_t>(bytes_[at_]) != code::kNull) return false;
  ++at_;
  return true;
}

bool Reader::Count(std::size_t values) {
  if (values > values_left_) {
    Fail(fmt::format("more than {} values", limits_.values_max));
    return false;
  }
  values_left_ -= values;
  return true;
}

bool Reader::Descend() {
  if (++depth_ > limits_.depth_max)
    Fail(fmt::format("nested more than {} deep", limits_.depth_max));
  return ok();
}

bool Reader::BooleanOf(std::uint8_t format_code) {
  if (format_code != code::kBoolean) return format_code == code::kTrue;
  const std::uint8_t byte = TakeByte();
  if (byte > 1) Fail(fmt::format("0x{:02x} is neither true nor false", byte));
  return byte == 1;
}

char32_t Reader::CharOf() {
  const auto character = static_cast<char32_t>(TakeNumber(4));
  const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
  if (character > 0x10ffff || is_surrogate) Fail("no character of Unicode");
  return character;
}

std::uint64_t Reader::UnsignedOf(std::uint8_t format_code) {
  return TakeNumber(WidthOf(format_code));
}

std::int64_t Reader::SignedOf(std::uint8_t format_code) {
  switch (WidthOf(format_code)) {
    case 1:
      return static_cast<std::int8_t>(TakeNumber(1));
    case 2:
      return static_cast<std::int16_t>(TakeNumber(2));
    case 4:
      return static_cast<std::int32_t>(TakeNumber(4));
    default:
      return static_cast<std::int64_t>(TakeNumber(8));
  }
}

std::string_view Reader::TakeVariable(std::uint8_t format_code) {
  return Take(TakeNumber(WidthOf(format_code)));
}

std::string_view Reader::CheckText(Type type, std::string_view text) {
  if (type == Type::kString && !IsUtf8(text)) Fail("a string that is not UTF-8");
  if (type == Type::kSymbol && !IsAscii(text)) Fail("a symbol that is not ASCII");
  return ok() ? text : std::string_view();
}

void Reader::Read(bool& out) { out = BooleanOf(TakeCode(Type::kBoolean)); }
void Reader::Read(std::uint8_t& out) {
  out = static_cast<std::uint8_t>(UnsignedOf(TakeCode(Type::kUbyte)));
}
void Reader::Read(std::uint16_t& out) {
  out = static_cast<std::uint16_t>(UnsignedOf(TakeCode(Type::kUshort)));
}
void Reader::Read(std::uint32_t& out) {
  out = static_cast<std::uint32_t>(UnsignedOf(TakeCode(Type::kUint)));
}
void Reader::Read(std::uint64_t& out) { out = UnsignedOf(TakeCode(Type::kUlong)); }
void Reader::Read(std::int8_t& out) {
  out = static_cast<std::int8_t>(SignedOf(TakeCode(Type::kByte)));
}
void Reader::Read(std::int16_t& out) {
  out = static_cast<std::int16_t>(SignedOf(TakeCode(Type::kShort)));
}
void Reader::Read(std::int32_t& out) {
  out = static_cast<std::int32_t>(SignedOf(TakeCode(Type::kInt)));
}
void Reader::Read(std::int64_t& out) { out = SignedOf(TakeCode(Type::kLong)); }
void Reader::Read(float& out) {
  out = std::bit_cast<float>(static_cast<std::uint32_t>(UnsignedOf(TakeCode(Type::kFloat))));
}
void Reader::Read(double& out) { out = std::bit_cast<double>(UnsignedOf(TakeCode(Type::kDouble))); }
void Reader::Read(Decimal32& out) {
  TakeCode(Type::kDecimal32);
  TakeBytes(out.bytes);
}
void Reader::Read(Decimal64& out) {
  TakeCode(Type::kDecimal64);
  TakeBytes(out.bytes);
}
void Reader::Read(Decimal128& out) {
  TakeCode(Type::kDecimal128);
  TakeBytes(out.bytes);
}
void Reader::Read(Char& out) {
  TakeCode(Type::kChar);
  out.value = CharOf();
}
void Reader::Read(TimestampMs& out) { out.ms = SignedOf(TakeCode(Type::kTimestamp)); }
void Reader::Read(Uuid& out) {
  TakeCode(Type::kUuid);
  TakeBytes(out.bytes);
}
void Reader::Read(Binary& out) { out.bytes = ReadBinary(); }
void Reader::Read(std::string& out) { out = ReadString(); }
void Reader::Read(Symbol& out) { out.text = ReadSymbol(); }
void Reader::Read(List& out) { ListOf(TakeCode(Type::kList), out); }
void Reader::Read(Map& out) { MapOf(TakeCode(Type::kMap), out); }
void Reader::Read(Array& out) { ArrayOf(TakeCode(Type::kArray), out); }
void Reader::Read(Value& out) { out = ValueOf(TakeAnyCode()); }

std::string_view Reader::ReadBinary() { return TakeVariable(TakeCode(Type::kBinary)); }

std::string_view Reader::ReadString() {
  return CheckText(Type::kString, TakeVariable(TakeCode(Type::kString)));
}

std::string_view Reader::ReadSymbol() {
  return CheckText(Type::kSymbol, TakeVariable(TakeCode(Type::kSymbol)));
}

void Reader::EnterDescribed() {
  TakeCode(Type::kDescribed);
  Descend();
}

void Reader::LeaveDescribed() { Ascend(); }

Reader::Compound Reader::EnterCompound(std::uint8_t format_code) {
  Compound compound{.count = 0, .end = at_, .outer_end = end_};
  if (!Descend() || format_code == code::kList0) {
    ++compounds_;
    end_ = at_;
    return compound;
  }
  const std::size_t width = WidthOf(format_code);
  const std::uint64_t size = TakeNumber(width);
  if (ok() && Has(size)) end_ = at_ + size;
  ++compounds_;
  compound.count = static_cast<std::uint32_t>(TakeNumber(width));
  compound.end = end_;
  return compound;
}

Reader::Compound Reader::ItemsOf(std::uint8_t format_code) {
  const Compound items = EnterCompound(format_code);
  // Each value takes a byte at least.
  if (ok() && items.count > items.end - at_) Fail("more values than bytes");
  if (ok() && TypeOf(format_code) == Type::kMap && items.count % 2 != 0) {
    Fail("a map with a key that has no value");
  }
  return items;
}

Reader::Compound Reader::EnterList() { return ItemsOf(TakeCode(Type::kList)); }

Reader::Compound Reader::EnterMap() { return ItemsOf(TakeCode(Type::kMap)); }

void Reader::Leave(const Compound& compound) {
  if (ok() && at_ != compound.end) Fail("bytes behind the last value");
  Abandon(compound);
}

void Reader::Abandon(const Compound& compound) {
  if (ok()) at_ = compound.end;
  end_ = compound.outer_end;
  --compounds_;
  Ascend();
}

}  // namespace wharf::amqp
