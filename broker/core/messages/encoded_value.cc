#include "broker/core/messages/encoded_value.h"

#include <bit>
#include <cstdlib>
#include <string>

#include "absl/strings/escaping.h"

namespace wharf {
namespace {

// Format codes of AMQP 1.0, part 1.6: the first byte of a value.
constexpr std::uint8_t kDescribed = 0x00;
constexpr std::uint8_t kBinary8 = 0xa0;
constexpr std::uint8_t kString8 = 0xa1;
constexpr std::uint8_t kSymbol8 = 0xa3;
constexpr std::uint8_t kBinary32 = 0xb0;
constexpr std::uint8_t kString32 = 0xb1;
constexpr std::uint8_t kSymbol32 = 0xb3;

std::uint8_t CodeOf(std::string_view encoded) {
  constexpr std::uint8_t kNone = 0xff;
  return encoded.empty() ? kNone : static_cast<std::uint8_t>(encoded.front());
}

// Big-endian, all of it.
std::uint64_t NumberIn(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

// What follows the code, if it is exactly so wide.
std::optional<std::uint64_t> FixedOf(std::string_view encoded, std::size_t width) {
  if (encoded.size() != 1 + width) return std::nullopt;
  return NumberIn(encoded.substr(1));
}

// What stands behind a size, if it ends where the value does. It may be followed by others in
// `rest`.
std::optional<std::string_view> VariableOf(std::string_view encoded, std::uint8_t code8,
                                           std::uint8_t code32, std::string_view* rest = nullptr) {
  const std::uint8_t code = CodeOf(encoded);
  if (code != code8 && code != code32) return std::nullopt;
  const std::size_t width = code == code8 ? 1 : 4;
  if (encoded.size() < 1 + width) return std::nullopt;
  const std::uint64_t size = NumberIn(encoded.substr(1, width));
  const std::string_view behind = encoded.substr(1 + width);
  if (behind.size() < size || (rest == nullptr && behind.size() > size)) return std::nullopt;
  if (rest != nullptr) *rest = behind.substr(size);
  return behind.substr(0, size);
}

template <typename To>
std::optional<PropertyValue> WholeOf(std::string_view encoded, std::size_t width) {
  const auto number = FixedOf(encoded, width);
  if (!number) return std::nullopt;
  return PropertyValue(static_cast<To>(*number));
}

// A long, in either width.
std::optional<std::int64_t> LongOf(std::string_view encoded) {
  if (CodeOf(encoded) == kDescribed) return std::nullopt;
  const auto plain = PlainOf(encoded);
  const auto* const number = plain ? std::get_if<std::int64_t>(&*plain) : nullptr;
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<PropertyValue> SmallOf(std::string_view encoded, bool is_long) {
  const auto number = FixedOf(encoded, 1);
  if (!number) return std::nullopt;
  const auto small = static_cast<std::int8_t>(*number);
  return is_long ? PropertyValue(std::int64_t{small}) : PropertyValue(std::int32_t{small});
}

std::optional<PropertyValue> BooleanOf(std::string_view encoded) {
  const auto byte = FixedOf(encoded, 1);
  if (!byte || *byte > 1) return std::nullopt;
  return PropertyValue(*byte == 1);
}

std::optional<PropertyValue> CharOf(std::string_view encoded) {
  constexpr std::uint64_t kLastCodePoint = 0x10FFFF;
  const auto number = FixedOf(encoded, 4);
  if (!number || *number > kLastCodePoint) return std::nullopt;
  return PropertyValue(static_cast<char32_t>(*number));
}

// Clients of other protocols know the years 1 to 9999.
// As far as a duration of the API goes, ten thousand years either way; .NET's own goes further.
constexpr std::int64_t kSpanSecondsMax = 315'576'000'000;

bool IsInCalendar(const Nanotime& since_epoch) {
  constexpr std::int64_t kEnd = 253'402'300'800;
  return since_epoch.seconds >= -kSecondsFromYearOne && since_epoch.seconds < kEnd;
}

std::optional<PropertyValue> TimestampOf(std::string_view encoded) {
  const auto number = FixedOf(encoded, 8);
  if (!number) return std::nullopt;
  const auto ms = static_cast<std::int64_t>(*number);
  const std::int64_t part = (ms % 1000 + 1000) % 1000;
  const std::int64_t seconds = ms / 1000 - (ms % 1000 < 0 ? 1 : 0);
  const Nanotime time{seconds, static_cast<std::int32_t>(part) * 1'000'000};
  return IsInCalendar(time) ? std::optional<PropertyValue>(Instant{time}) : std::nullopt;
}

std::optional<PropertyValue> UuidOf(std::string_view encoded) {
  Uuid uuid;
  if (encoded.size() != 1 + uuid.bytes.size()) return std::nullopt;
  encoded.copy(uuid.bytes.data(), uuid.bytes.size(), 1);
  return PropertyValue(uuid);
}

std::optional<PropertyValue> TimeSpanOf(std::string_view encoded) {
  const auto ticks = LongOf(encoded);
  if (!ticks || std::abs(*ticks / kTicksPerSecond) > kSpanSecondsMax) return std::nullopt;
  // Of a span, seconds and what is left have one sign.
  const auto nanos = static_cast<std::int32_t>(*ticks % kTicksPerSecond * 100);
  return PropertyValue(TimeSpan{{*ticks / kTicksPerSecond, nanos}});
}

std::optional<PropertyValue> DateTimeOffsetOf(std::string_view encoded) {
  const auto ticks = LongOf(encoded);
  if (!ticks || *ticks < 0) return std::nullopt;
  const Nanotime time{*ticks / kTicksPerSecond - kSecondsFromYearOne,
                      static_cast<std::int32_t>(*ticks % kTicksPerSecond) * 100};
  return IsInCalendar(time) ? std::optional<PropertyValue>(DateTimeOffset{time}) : std::nullopt;
}

std::optional<PropertyValue> DescribedOf(std::string_view encoded) {
  std::string_view value;
  const auto symbol = VariableOf(encoded.substr(1), kSymbol8, kSymbol32, &value);
  if (symbol == kTimeSpanSymbol) return TimeSpanOf(value);
  if (symbol == kDateTimeOffsetSymbol) return DateTimeOffsetOf(value);
  if (symbol != kUriSymbol) return std::nullopt;
  const auto text = VariableOf(value, kString8, kString32);
  if (!text) return std::nullopt;
  return PropertyValue(Uri{std::string(*text)});
}

std::optional<PropertyValue> StringOf(std::string_view encoded) {
  const auto text = VariableOf(encoded, kString8, kString32);
  if (!text) return std::nullopt;
  return PropertyValue(std::string(*text));
}

std::optional<PropertyValue> RealOf(std::string_view encoded, std::size_t width) {
  const auto bits = FixedOf(encoded, width);
  if (!bits) return std::nullopt;
  if (width == sizeof(double)) return PropertyValue(std::bit_cast<double>(*bits));
  return PropertyValue(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)));
}

std::string HexOf(std::string_view bytes) {
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

std::string HyphenatedHex(std::string_view bytes) {
  std::string text = HexOf(bytes);
  for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
  return text;
}

}  // namespace

std::optional<std::string_view> TextOf(std::string_view encoded) {
  if (const auto text = VariableOf(encoded, kString8, kString32)) return text;
  return VariableOf(encoded, kSymbol8, kSymbol32);
}

std::optional<std::string_view> BinaryOf(std::string_view encoded) {
  return VariableOf(encoded, kBinary8, kBinary32);
}

std::optional<PropertyValue> PlainOf(std::string_view encoded) {
  switch (CodeOf(encoded)) {
    case kDescribed:
      return DescribedOf(encoded);
    case 0x40:
      return encoded.size() == 1 ? std::optional<PropertyValue>(std::monostate()) : std::nullopt;
    case 0x41:
    case 0x42:
      if (encoded.size() != 1) return std::nullopt;
      return PropertyValue(CodeOf(encoded) == 0x41);
    case 0x56:
      return BooleanOf(encoded);
    case 0x50:
      return WholeOf<std::uint8_t>(encoded, 1);
    case 0x51:
      return WholeOf<std::int8_t>(encoded, 1);
    case 0x60:
      return WholeOf<std::uint16_t>(encoded, 2);
    case 0x61:
      return WholeOf<std::int16_t>(encoded, 2);
    case 0x43:
      return WholeOf<std::uint32_t>(encoded, 0);
    case 0x52:
      return WholeOf<std::uint32_t>(encoded, 1);
    case 0x70:
      return WholeOf<std::uint32_t>(encoded, 4);
    case 0x44:
      return WholeOf<std::uint64_t>(encoded, 0);
    case 0x53:
      return WholeOf<std::uint64_t>(encoded, 1);
    case 0x80:
      return WholeOf<std::uint64_t>(encoded, 8);
    case 0x54:
      return SmallOf(encoded, /*is_long=*/false);
    case 0x71:
      return WholeOf<std::int32_t>(encoded, 4);
    case 0x55:
      return SmallOf(encoded, /*is_long=*/true);
    case 0x81:
      return WholeOf<std::int64_t>(encoded, 8);
    case 0x72:
      return RealOf(encoded, sizeof(float));
    case 0x82:
      return RealOf(encoded, sizeof(double));
    case 0x73:
      return CharOf(encoded);
    case 0x83:
      return TimestampOf(encoded);
    case 0x98:
      return UuidOf(encoded);
    case kString8:
    case kString32:
      return StringOf(encoded);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> IdTextOf(std::string_view encoded) {
  if (const auto binary = BinaryOf(encoded)) return HexOf(*binary);
  std::optional<PropertyValue> plain = PlainOf(encoded);
  if (!plain) return std::nullopt;
  if (auto* const text = std::get_if<std::string>(&*plain)) return std::move(*text);
  if (const auto* const number = std::get_if<std::uint64_t>(&*plain)) {
    return std::to_string(*number);
  }
  const auto* const uuid = std::get_if<Uuid>(&*plain);
  if (uuid == nullptr) return std::nullopt;
  return HyphenatedHex({uuid->bytes.data(), uuid->bytes.size()});
}

}  // namespace wharf
