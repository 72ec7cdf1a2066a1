// DecimalNumber: a decimal as C# has it, a whole number of at most 96 bits and a power of ten from
// 0 to 28 that divides it. It keeps its scale: 1.50 + 1 is 2.50.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf::sql {

class DecimalNumber {
 public:
  static constexpr unsigned kScaleMax = 28;

  DecimalNumber() = default;
  explicit DecimalNumber(std::int64_t whole);
  explicit DecimalNumber(std::uint64_t whole) : low_(whole) {}

  // An optional sign, digits, and a point anywhere among them; digits beyond the scale are rounded.
  // Nothing if that is not what `text` is, or if it is too large.
  static std::optional<DecimalNumber> Parse(std::string_view text);

  std::string ToString() const;
  // Without zeros at the end of the fraction, so that equal numbers have equal texts.
  std::string ToShortestString() const;
  bool is_zero() const { return low_ == 0 && high_ == 0; }

  DecimalNumber Negated() const;

  // Nothing if the result is too large; a divisor is not zero.
  friend std::optional<DecimalNumber> Add(const DecimalNumber& a, const DecimalNumber& b);
  friend std::optional<DecimalNumber> Subtract(const DecimalNumber& a, const DecimalNumber& b);
  friend std::optional<DecimalNumber> Multiply(const DecimalNumber& a, const DecimalNumber& b);
  friend std::optional<DecimalNumber> Divide(const DecimalNumber& a, const DecimalNumber& b);
  // With the sign of `a`.
  friend std::optional<DecimalNumber> Remainder(const DecimalNumber& a, const DecimalNumber& b);

  friend std::strong_ordering operator<=>(const DecimalNumber& a, const DecimalNumber& b);
  friend bool operator==(const DecimalNumber& a, const DecimalNumber& b) { return (a <=> b) == 0; }

 private:
  friend struct DecimalParts;

  std::uint64_t low_ = 0;
  std::uint32_t high_ = 0;
  std::uint8_t scale_ = 0;
  bool is_negative_ = false;
};

}  // namespace wharf::sql
