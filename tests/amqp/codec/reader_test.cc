#include "broker/doors/amqp/codec/reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/value_text.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

std::string ErrorOf(std::string_view hex, const DecodeLimits& limits = DecodeLimits()) {
  const std::string bytes = FromHex(hex);
  Reader reader(bytes, limits);
  Value value;
  reader.Read(value);
  return reader.error();
}

std::string SkipErrorOf(std::string_view hex) {
  const std::string bytes = FromHex(hex);
  Reader reader(bytes);
  reader.TakeEncoded();
  return reader.error();
}

TEST(ReaderTest, WhatIsNoValueIsRefused) {
  struct {
    std::string_view hex, error;
  } const kRows[] = {
      {"", "byte 0: 1 bytes are due, and there are 0"},
      {"3f", "byte 0: 0x3f is no format code"},
      {"46", "byte 0: 0x46 is no format code"},
      {"ff", "byte 0: 0xff is no format code"},
      {"56 02", "byte 2: 0x02 is neither true nor false"},
      {"73 00 00 d8 00", "byte 5: no character of Unicode"},
      {"73 00 11 00 00", "byte 5: no character of Unicode"},
      {"a1 01 ff", "byte 3: a string that is not UTF-8"},
      {"a1 02 c0 80", "byte 4: a string that is not UTF-8"},
      {"a1 03 ed a0 80", "byte 5: a string that is not UTF-8"},
      {"a3 02 c3 a9", "byte 4: a symbol that is not ASCII"},
      {"b0 ff ff ff ff 00", "byte 5: 4294967295 bytes are due, and there are 1"},
      {"c0 00", "byte 2: 1 bytes are due, and there are 0"},
      {"c0 01 01", "byte 3: more values than bytes"},
      {"c0 03 01 40 40", "byte 4: bytes behind the last value"},
      {"c0 03 02 a1 05", "byte 5: 5 bytes are due, and there are 0"},
      {"c1 02 01 40", "byte 3: a map with a key that has no value"},
      {"c0 09 01 40", "byte 2: 9 bytes are due, and there are 2"},
      {"d0 ff ff ff ff 00 00 00 01 40", "byte 5: 4294967295 bytes are due, and there are 5"},
      {"e0 03 09 52 01", "byte 4: an array with more items than bytes"},
      {"e0 02 01 3f", "byte 3: 0x3f is no format code"},
      {"e0 04 01 52 01 02", "byte 5: bytes behind the last value"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ErrorOf(row.hex), row.error) << row.hex;
    EXPECT_EQ(SkipErrorOf(row.hex), row.error) << row.hex;
  }
}

TEST(ReaderTest, ABombOfDepthIsRefused) {
  std::string lists;
  for (int i = 0; i < 100; ++i) lists += "d0 00 00 10 00 00 00 00 01 ";
  std::string descriptions;
  for (int i = 0; i < 100; ++i) descriptions += "00 ";
  std::string arrays = "f0 00 00 10 00 00 00 00 01 ";
  for (int i = 0; i < 100; ++i) arrays += "00 43 ";
  const std::string filling(4096 * 2, '4');

  EXPECT_THAT(ErrorOf(lists + filling), testing::HasSubstr("bytes are due"));
  EXPECT_THAT(ErrorOf(descriptions), testing::HasSubstr("nested more than 16 deep"));
  EXPECT_THAT(SkipErrorOf(descriptions), testing::HasSubstr("nested more than 16 deep"));
  EXPECT_THAT(ErrorOf(arrays + filling), testing::HasSubstr("described more than"));
  EXPECT_THAT(SkipErrorOf(arrays + filling), testing::HasSubstr("described more than"));
}

TEST(ReaderTest, WhatIsNestedAsDeepAsItMayBeIsRead) {
  const DecodeLimits limits{.depth_max = 3};
  EXPECT_EQ(ErrorOf("c0 08 01 c0 05 01 c0 02 01 40", limits), "");
  EXPECT_THAT(ErrorOf("c0 07 01 c0 04 01 c0 01 00", {.depth_max = 2}),
              testing::HasSubstr("nested more than 2 deep"));
}

// Six bytes that claim four billion values.
TEST(ReaderTest, ABombOfCountIsRefused) {
  EXPECT_EQ(ErrorOf("f0 00 00 00 05 ff ff ff ff 40"), "byte 10: more than 16384 values");
  EXPECT_EQ(ErrorOf("f0 00 00 00 05 ff ff ff ff 45"), "byte 10: more than 16384 values");
  EXPECT_EQ(ErrorOf("d0 00 00 00 05 ff ff ff ff 40"), "byte 9: more values than bytes");
  // Its bytes can be kept, for nothing is made of them.
  EXPECT_EQ(SkipErrorOf("f0 00 00 00 05 ff ff ff ff 40"), "");
}

TEST(ReaderTest, ValuesAreCountedOverAllThatIsRead) {
  EXPECT_EQ(ErrorOf("c0 06 01 c0 03 02 40 40", {.values_max = 4}), "");
  EXPECT_THAT(ErrorOf("c0 06 01 c0 03 02 40 40", {.values_max = 3}),
              testing::HasSubstr("more than 3 values"));
}

TEST(ReaderTest, AValueOfAnotherTypeIsRefusedByName) {
  const std::string bytes = FromHex("a1 01 'a'");
  Reader reader(bytes);
  std::uint32_t number = 7;
  reader.Read(number);
  EXPECT_EQ(reader.error(), "byte 0: a string where a uint is due");
  EXPECT_EQ(number, 0U);
}

TEST(ReaderTest, ASymbolIsNoString) {
  const std::string bytes = FromHex("a3 01 'a' a1 01 'b'");
  Reader reader(bytes);
  EXPECT_EQ(reader.ReadString(), "");
  EXPECT_EQ(reader.error(), "byte 0: a symbol where a string is due");
}

TEST(ReaderTest, AListIsNoArray) {
  const std::string bytes = FromHex("e0 02 01 40");
  Reader reader(bytes);
  reader.EnterList();
  EXPECT_EQ(reader.error(), "byte 0: an array where a list is due");
}

TEST(ReaderTest, TheFirstErrorStays) {
  const std::string bytes = FromHex("41 a1 01 'a'");
  Reader reader(bytes);
  std::uint32_t number = 0;
  reader.Read(number);
  std::string text;
  reader.Read(text);
  EXPECT_EQ(reader.error(), "byte 0: a boolean where a uint is due");
  EXPECT_EQ(text, "");
  EXPECT_TRUE(reader.at_end());
}

TEST(ReaderTest, AListIsReadToItsEndAndNotBeyond) {
  const std::string bytes = FromHex("c0 03 02 41 42 43");
  Reader reader(bytes);
  const Reader::Compound list = reader.EnterList();
  EXPECT_EQ(list.count, 2U);
  bool value = false;
  reader.Read(value);
  EXPECT_TRUE(value);
  EXPECT_FALSE(reader.at_end());
  reader.Read(value);
  EXPECT_TRUE(reader.at_end());
  reader.Leave(list);
  EXPECT_EQ(reader.PeekType(), Type::kUint);
}

TEST(MapTest, AKeyIsFoundByItsType) {
  Map map;
  map.Add(Value(std::string("a")), Value(true));
  map.Add(Value(Symbol{"a"}), Value(false));
  EXPECT_EQ(TextOf(*map.FindSymbol("a")), "false");
  EXPECT_EQ(TextOf(*map.FindString("a")), "true");
  EXPECT_EQ(map.FindSymbol("b"), nullptr);
}

}  // namespace
}  // namespace wharf::amqp
