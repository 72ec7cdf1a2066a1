// What + - * / % and the signs make of values.
#include <limits>

#include <gtest/gtest.h>

#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(SqlArithmeticTest, WholeNumbersDivideTowardZero) {  // SQL-7
  ExpectAll({
      {"7 / 2 = 3", "T"},
      {"-7 / 2 = -3", "T"},
      {"7 / -2 = -3", "T"},
      {"-7 / -2 = 3", "T"},
      {"7 % 2 = 1", "T"},
      {"-7 % 2 = -1", "T"},
      {"7 % -2 = 1", "T"},
      {"-7 % -2 = -1", "T"},
      {"size / quantity = 3", "T"},
      {"size % quantity = 1", "T"},
      {"u64 / 10 = 6", "T"},
      {"u32 % 10 = 2", "T"},
  });
}

TEST(SqlArithmeticTest, WholeNumbersAreNotDividedByZero) {  // SQL-7, RUL-8
  const char* const error = "a whole number or decimal is divided by zero";
  ExpectAll({
      {"size / 0 = 1", error},
      {"size % 0 = 1", error},
      {"quantity / (quantity - quantity) = 1", error},
      {"u64 / (u64 - u64) = 1", error},
      {"u32 % (u32 - u32) = 1", error},
      {"cost / 0 = 1", error},
      {"cost % 0 = 1", error},
      {"missing / 0 = 1", "U"},
      {"1 IN (2, 1 / 0)", error},
  });
}

TEST(SqlArithmeticTest, FloatingNumbersFollowIeee) {  // SQL-7
  ExpectAll({
      {"1.0 / 0 > 1e308", "T"},
      {"-1 / 0.0 < -1e308", "T"},
      {"0.0 / 0 = 0.0 / 0", "F"},
      {"7.5 % 2 = 1.5", "T"},
      {"-7.5 % 2 = -1.5", "T"},
      {"price * 2 = 5", "T"},
      {"weight + weight = 1", "T"},
      {"weight / 0 > 1", "T"},
      {"-price = -2.5", "T"},
      {"-weight < 0", "T"},
      {"weight * price = 1.25", "T"},
      {"1e308 * 10 > 1e308", "T"},
  });
}

TEST(SqlArithmeticTest, Int64Wraps) {  // SQL-8
  ExpectAll({
      {"i64max + 1 = i64min", "T"},
      {"i64min - 1 = i64max", "T"},
      {"i64max * 2 = -2", "T"},
      {"-i64min = i64min", "T"},
      {"i64min / -1 = i64min", "T"},
      {"i64min % -1 = 0", "T"},
      {"9223372036854775807 + 1 < 0", "T"},
  });
}

TEST(SqlArithmeticTest, TypesArePromotedAsInCSharp) {  // SQL-5
  ExpectAll({
      {"i32max + quantity < 0", "T"},           // int + int is int
      {"i32max + 3 = 2147483650", "T"},         // int + long is long
      {"i8 + i16 = -24", "T"},                  // sbyte + short is int
      {"letter + 1 = 66", "T"},                 // char + long is long
      {"u32max + u32 = 31", "T"},               // uint + uint is uint
      {"u32max + quantity = 4294967298", "T"},  // uint + int is long
      {"-u32 = -32", "T"},                      // -uint is long
      {"u64max + 1 = 0", "T"},                  // ulong + a constant is ulong
      {"u64 - u64max = 65", "T"},
      {"u64 + 0 = 64", "T"},
      {"u64 + -1 = 63", "U"},  // ulong and a negative number have no type
      {"-u64 = -64", "U"},     // nor has -ulong
      {"u64 + i8 = 56", "U"},
      {"u64 + u8 = 72", "T"},
      {"u64 * 1.5 = 96", "T"},
      {"size + 0.5 = 10.5", "T"},
      {"cost + 1 = @cost + 1", "T"},
      {"cost * 2 = 25", "T"},
      {"cost - same_cost = 0", "T"},
      {"cost % 5 = cost - 10", "T"},
      {"cost / 5 * 10 = 25", "T"},
      {"-cost < 0", "T"},
      {"u64 + cost > 76", "T"},
      {"cost + 0.5 = 13", "U"},  // no decimal and double
      {"huge_cost + 1 = 1", "a decimal becomes too large"},
      {"huge_cost * huge_cost = 1", "a decimal becomes too large"},
      {"+size = 10", "T"},
  });
}

TEST(SqlArithmeticTest, WhatHasNoValueMakesNone) {  // SQL-13
  ExpectAll({
      {"missing + 1 = 1", "U"},
      {"1 - missing = 1", "U"},
      {"-missing = 1", "U"},
      {"+missing = 1", "U"},
      {"NULL * 2 = 0", "U"},
      {"nothing / 1 = 0", "U"},
      {"-NULL = 1", "U"},
      {"@nothing + 1 = 1", "U"},
      {"missing + 1 = 1 OR 1=1", "T"},
  });
}

TEST(SqlArithmeticTest, TypesThatDoNotAddUpMakeNone) {  // SQL-6
  ExpectAll({
      {"color + 1 = 'red1'", "U"},
      {"1 + text2 = 3", "U"},
      {"color - 'd' = 're'", "U"},
      {"color * 2 = 'redred'", "U"},
      {"-color = 'der'", "U"},
      {"+color = 'red'", "U"},
      {"paid + 1 = 2", "U"},
      {"-paid = 1", "U"},
      {"noon + 1 = noon", "U"},
      {"noon + noon = noon", "U"},
      {"minute * 2 = minute", "U"},
      {"minute - noon = noon", "U"},
      {"id + id = id", "U"},
      {"color + letter = 'redA'", "U"},
      {"minute + noon = noon", "U"},
  });
}

TEST(SqlArithmeticTest, PlusJoinsTexts) {  // SQL-9
  ExpectAll({
      {"color + '!' = 'red!'", "T"},
      {"'a' + 'b' + 'c' = 'abc'", "T"},
      {"'' + '' = ''", "T"},
      {"color + missing = 'red'", "U"},
      {"('a' + 'b') + ('c' + 'd') = 'abcd'", "T"},
      {"color + '-' + umlaut LIKE 'red-gr%'", "T"},
      {"@wide + '!' > 'a'", "T"},
      {"@wide + @wide + @wide = 'a'", "joining texts makes more than 262144 bytes"},
  });
}

TEST(SqlArithmeticTest, TimesAddUp) {  // SQL-10
  ExpectAll({
      {"later - noon = minute", "F"},
      {"noon + minute < later", "T"},
      {"later - minute > noon", "T"},
      {"noon - minute + minute = noon", "T"},
      {"minute + minute > minute", "T"},
      {"minute - minute = noon - noon", "T"},
      {"-minute < minute", "T"},
      {"-(noon - later) = later - noon", "T"},
      {"+minute = minute", "T"},
      {"local_noon + minute - noon = minute", "T"},
      {"sys.ExpiresAtUtc > later", "T"},
  });
}

TEST(SqlArithmeticTest, ATimeBeyondAllTimeIsAnError) {
  Message message;
  message.application_properties = {
      {"last", Instant{{std::numeric_limits<std::int64_t>::max(), 0}}},
      {"span", TimeSpan{{std::numeric_limits<std::int64_t>::max(), 0}}}};
  const MessageView view(message);

  EXPECT_EQ(Judge("last + span > last", view), "a time becomes too large");
  EXPECT_EQ(Judge("span + span > span", view), "a time becomes too large");
  EXPECT_EQ(Judge("last - span < last", view), "T");
}

}  // namespace
}  // namespace wharf
