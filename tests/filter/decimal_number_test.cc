#include "broker/filter/decimal_number.h"

#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace wharf::sql {
namespace {

const std::string kMax = "79228162514264337593543950335";

DecimalNumber Number(std::string_view text) { return DecimalNumber::Parse(text).value(); }

std::string Text(const std::optional<DecimalNumber>& number) {
  return number ? number->ToString() : "too large";
}

TEST(DecimalNumberTest, TextsAreReadAndKeepTheirScale) {
  for (const std::string text :
       {"0", "1", "-1", "12.50", "-0.001", "0.0000000000000000000000000001",
        "79228162514264337593543950335", "-79228162514264337593543950335"}) {
    EXPECT_EQ(Text(DecimalNumber::Parse(text)), text);
  }
  EXPECT_EQ(Text(DecimalNumber::Parse("+.5")), "0.5");
  EXPECT_EQ(Text(DecimalNumber::Parse("007.")), "7");
}

TEST(DecimalNumberTest, WhatIsNoDecimalIsNone) {
  for (const std::string text : {"", "-", ".", "1.2.3", "1e5", "a", " 1", "1 ", "--1", "1,5"}) {
    EXPECT_EQ(DecimalNumber::Parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(DecimalNumber::Parse("79228162514264337593543950336"), std::nullopt);
  EXPECT_EQ(DecimalNumber::Parse(std::string(1000, '1')), std::nullopt);
}

TEST(DecimalNumberTest, DigitsBeyondTheScaleAreRoundedHalfToEven) {
  EXPECT_EQ(Text(Number("0.00000000000000000000000000005")), "0.0000000000000000000000000000");
  EXPECT_EQ(Text(Number("0.00000000000000000000000000015")), "0.0000000000000000000000000002");
  EXPECT_EQ(Text(Number("-0.00000000000000000000000000015")), "-0.0000000000000000000000000002");
  EXPECT_EQ(Text(Number("7.92281625142643375935439503354")), "7.9228162514264337593543950335");
  EXPECT_EQ(Text(Number("7.92281625142643375935439503356")), "7.922816251426433759354395034");
}

TEST(DecimalNumberTest, WholeNumbersOfAllSizesAreDecimals) {
  EXPECT_EQ(DecimalNumber(std::int64_t{-5}).ToString(), "-5");
  EXPECT_EQ(DecimalNumber(std::numeric_limits<std::int64_t>::min()).ToString(),
            "-9223372036854775808");
  EXPECT_EQ(DecimalNumber(std::numeric_limits<std::uint64_t>::max()).ToString(),
            "18446744073709551615");
}

TEST(DecimalNumberTest, EqualNumbersAreEqualWhateverTheirScale) {
  EXPECT_EQ(Number("1.50"), Number("1.5"));
  EXPECT_EQ(Number("-0"), Number("0.00"));
  EXPECT_LT(Number("-1"), Number("0.5"));
  EXPECT_GT(Number(kMax), Number("0.0000000000000000000000000001"));
  EXPECT_EQ(Number("1.500").ToShortestString(), "1.5");
  EXPECT_EQ(Number("-0.00").ToShortestString(), "0");
  EXPECT_EQ(Number("100").ToShortestString(), "100");
}

TEST(DecimalNumberTest, TheyAreReckonedWithAsInCSharp) {
  EXPECT_EQ(Text(Add(Number("1.50"), Number("1"))), "2.50");
  EXPECT_EQ(Text(Subtract(Number("1"), Number("1.5"))), "-0.5");
  EXPECT_EQ(Text(Multiply(Number("1.5"), Number("-2.50"))), "-3.750");
  EXPECT_EQ(Text(Divide(Number("10"), Number("4"))), "2.5");
  EXPECT_EQ(Text(Divide(Number("1"), Number("3"))), "0.3333333333333333333333333333");
  EXPECT_EQ(Text(Divide(Number("2"), Number("-3"))), "-0.6666666666666666666666666667");
  EXPECT_EQ(Text(Divide(Number(kMax), Number("1"))), kMax);
  EXPECT_EQ(Text(Remainder(Number("-7.5"), Number("2"))), "-1.5");
  EXPECT_EQ(Text(Number("1.0").Negated()), "-1.0");
  EXPECT_EQ(Text(Number("0").Negated()), "0");
}

TEST(DecimalNumberTest, WhatIsTooLargeIsNoResult) {
  EXPECT_EQ(Text(Add(Number(kMax), Number("1"))), "too large");
  EXPECT_EQ(Text(Add(Number(kMax), Number("0.4"))), kMax);
  EXPECT_EQ(Text(Multiply(Number(kMax), Number("2"))), "too large");
  EXPECT_EQ(Text(Divide(Number(kMax), Number("0.5"))), "too large");
}

}  // namespace
}  // namespace wharf::sql
