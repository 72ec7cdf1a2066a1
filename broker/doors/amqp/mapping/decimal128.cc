#include "broker/doors/amqp/mapping/decimal128.h"

#include <algorithm>
#include <cstdint>

namespace wharf::amqp {

namespace {

struct Digits {
  unsigned __int128 coefficient = 0;
  int scale = 0;
};

std::optional<Digits> DigitsOf(std::string_view text) {
  constexpr int kDigitsMax = 34;
  Digits digits;
  int count = 0;
  bool is_fraction = false;
  for (const char letter : text) {
    if (letter == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (letter < '0' || letter > '9' || ++count > kDigitsMax) return std::nullopt;
    digits.coefficient = digits.coefficient * 10 + static_cast<unsigned>(letter - '0');
    if (is_fraction) ++digits.scale;
  }
  return count > 0 ? std::optional(digits) : std::nullopt;
}

}  // namespace

// Sign (1) · exponent (14) · coefficient (113): one of at most 34 digits is below 2^113.
std::optional<Decimal128> Decimal128Of(std::string_view text) {
  constexpr int kBias = 6176;
  constexpr int kCoefficientBits = 113;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Digits> digits = DigitsOf(text);
  if (!digits) return std::nullopt;
  unsigned __int128 bits = digits->coefficient;
  bits |= static_cast<unsigned __int128>(kBias - digits->scale) << kCoefficientBits;
  if (is_negative) bits |= static_cast<unsigned __int128>(1) << 127;
  Decimal128 decimal;
  for (auto at = decimal.bytes.rbegin(); at != decimal.bytes.rend(); ++at, bits >>= 8) {
    *at = static_cast<char>(static_cast<std::uint8_t>(bits));
  }
  return decimal;
}

}  // namespace wharf::amqp
