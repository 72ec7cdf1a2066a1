#include "broker/filter/decimal_number.h"

#include <algorithm>
#include <limits>

#include <boost/multiprecision/cpp_int.hpp>

#include "absl/strings/ascii.h"

namespace wharf::sql {

// Wide enough for the product of two decimals, and for one shifted by twice the largest scale.
using Wide = boost::multiprecision::int512_t;

// A decimal taken apart, for reckoning.
struct DecimalParts {
  Wide digits;
  unsigned scale = 0;

  explicit DecimalParts(const DecimalNumber& number) : scale(number.scale_) {
    digits = (Wide(number.high_) << 64) | Wide(number.low_);
    if (number.is_negative_) digits = -digits;
  }
  DecimalParts(Wide all_digits, unsigned all_scale)
      : digits(std::move(all_digits)), scale(all_scale) {}

  // `digits` are within the limits.
  DecimalNumber ToNumber() const {
    const Wide magnitude = abs(digits);
    DecimalNumber number;
    number.low_ =
        static_cast<std::uint64_t>(magnitude & Wide(std::numeric_limits<std::uint64_t>::max()));
    number.high_ = static_cast<std::uint32_t>(magnitude >> 64);
    number.scale_ = static_cast<std::uint8_t>(scale);
    number.is_negative_ = digits < 0;
    return number;
  }
};

namespace {

const Wide& DigitsMax() {
  static const Wide kMax = (Wide(1) << 96) - 1;
  return kMax;
}

Wide PowerOfTen(unsigned exponent) { return pow(Wide(10), exponent); }

bool Fits(const Wide& digits) { return abs(digits) <= DigitsMax(); }

// Half to even, as C# rounds decimals.
Wide DivideRounded(const Wide& numerator, const Wide& denominator) {
  Wide quotient = numerator / denominator;
  const Wide twice = abs(Wide(numerator % denominator)) * 2;
  const Wide whole = abs(denominator);
  const bool is_away = twice > whole || (twice == whole && quotient % 2 != 0);
  if (!is_away) return quotient;
  return (numerator < 0) == (denominator < 0) ? Wide(quotient + 1) : Wide(quotient - 1);
}

// The nearest decimal to numerator / denominator / 10^scale: as many digits as fit, rounded once.
std::optional<DecimalNumber> Nearest(const Wide& numerator, const Wide& denominator,
                                     unsigned scale) {
  unsigned wanted = std::min(scale, DecimalNumber::kScaleMax);
  while (true) {
    const Wide digits = DivideRounded(numerator, Wide(denominator * PowerOfTen(scale - wanted)));
    if (Fits(digits)) return DecimalParts(digits, wanted).ToNumber();
    if (wanted == 0) return std::nullopt;
    --wanted;
  }
}

// Two numbers with the larger of their scales.
struct Aligned {
  Wide a;
  Wide b;
  unsigned scale;

  Aligned(const DecimalNumber& left, const DecimalNumber& right) {
    const DecimalParts a_parts(left);
    const DecimalParts b_parts(right);
    scale = std::max(a_parts.scale, b_parts.scale);
    a = a_parts.digits * PowerOfTen(scale - a_parts.scale);
    b = b_parts.digits * PowerOfTen(scale - b_parts.scale);
  }
};

// Drops zeros at the end of the fraction, down to `scale_min` digits of it.
DecimalNumber Trimmed(const DecimalNumber& number, unsigned scale_min) {
  DecimalParts parts(number);
  while (parts.scale > scale_min && parts.digits % 10 == 0) {
    parts.digits /= 10;
    --parts.scale;
  }
  return parts.ToNumber();
}

}  // namespace

DecimalNumber::DecimalNumber(std::int64_t whole)
    : low_(whole < 0 ? ~static_cast<std::uint64_t>(whole) + 1 : static_cast<std::uint64_t>(whole)),
      is_negative_(whole < 0) {}

std::optional<DecimalNumber> DecimalNumber::Parse(std::string_view text) {
  // More digits are no decimal that anyone means, and would overflow the reckoning.
  constexpr std::size_t kDigitsMax = 100;
  const bool has_sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view digits_text = text.substr(has_sign ? 1 : 0);
  if (digits_text.size() > kDigitsMax) return std::nullopt;

  Wide digits = 0;
  unsigned digit_count = 0;
  std::optional<unsigned> scale;
  for (const char c : digits_text) {
    if (c == '.' && !scale) {
      scale = 0;
      continue;
    }
    if (!absl::ascii_isdigit(c)) return std::nullopt;
    digits = digits * 10 + (c - '0');
    ++digit_count;
    if (scale) ++*scale;
  }
  if (digit_count == 0) return std::nullopt;
  if (text[0] == '-') digits = -digits;
  return Nearest(digits, 1, scale.value_or(0));
}

std::string DecimalNumber::ToString() const {
  const DecimalParts parts(*this);
  std::string text = Wide(abs(parts.digits)).str();
  if (text.size() <= scale_) text.insert(0, scale_ + 1 - text.size(), '0');
  if (scale_ > 0) text.insert(text.size() - scale_, 1, '.');
  return is_negative_ ? "-" + text : text;
}

std::string DecimalNumber::ToShortestString() const { return Trimmed(*this, 0).ToString(); }

DecimalNumber DecimalNumber::Negated() const {
  DecimalNumber negated = *this;
  negated.is_negative_ = !is_negative_ && !is_zero();
  return negated;
}

std::optional<DecimalNumber> Add(const DecimalNumber& a, const DecimalNumber& b) {
  const Aligned aligned(a, b);
  return Nearest(aligned.a + aligned.b, 1, aligned.scale);
}

std::optional<DecimalNumber> Subtract(const DecimalNumber& a, const DecimalNumber& b) {
  return Add(a, b.Negated());
}

std::optional<DecimalNumber> Multiply(const DecimalNumber& a, const DecimalNumber& b) {
  const DecimalParts a_parts(a);
  const DecimalParts b_parts(b);
  return Nearest(a_parts.digits * b_parts.digits, 1, a_parts.scale + b_parts.scale);
}

std::optional<DecimalNumber> Divide(const DecimalNumber& a, const DecimalNumber& b) {
  const Aligned aligned(a, b);
  constexpr unsigned kScale = DecimalNumber::kScaleMax;
  const auto quotient = Nearest(aligned.a * PowerOfTen(kScale), aligned.b, kScale);
  if (!quotient) return std::nullopt;
  return Trimmed(*quotient, a.scale_ > b.scale_ ? a.scale_ - b.scale_ : 0U);
}

std::optional<DecimalNumber> Remainder(const DecimalNumber& a, const DecimalNumber& b) {
  const Aligned aligned(a, b);
  return Nearest(aligned.a % aligned.b, 1, aligned.scale);
}

std::strong_ordering operator<=>(const DecimalNumber& a, const DecimalNumber& b) {
  const Aligned aligned(a, b);
  if (aligned.a < aligned.b) return std::strong_ordering::less;
  if (aligned.a > aligned.b) return std::strong_ordering::greater;
  return std::strong_ordering::equal;
}

}  // namespace wharf::sql
