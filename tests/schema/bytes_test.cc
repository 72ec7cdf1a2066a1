#include "broker/schema/bytes.h"

#include <limits>

#include <gtest/gtest.h>

namespace wharf {
namespace {

template <typename Write>
std::string Written(Write write) {
  std::string bytes;
  ByteWriter writer(bytes);
  write(writer);
  return bytes;
}

TEST(BytesTest, NumbersComeBack) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{16383}, std::uint64_t{16384}, std::uint64_t{1} << 48,
        std::numeric_limits<std::uint64_t>::max()}) {
    const std::string bytes = Written([&](ByteWriter& writer) {
      writer.Varint(number);
      writer.SignedVarint(static_cast<std::int64_t>(number));
      writer.Fixed64(number);
      writer.Fixed32(static_cast<std::uint32_t>(number));
      writer.Fixed16(static_cast<std::uint16_t>(number));
    });
    ByteReader reader(bytes);
    EXPECT_EQ(reader.Varint(), number);
    EXPECT_EQ(reader.SignedVarint(), static_cast<std::int64_t>(number));
    EXPECT_EQ(reader.Fixed64(), number);
    EXPECT_EQ(reader.Fixed32(), static_cast<std::uint32_t>(number));
    EXPECT_EQ(reader.Fixed16(), static_cast<std::uint16_t>(number));
    EXPECT_TRUE(reader.is_whole());
  }
}

TEST(BytesTest, SmallNumbersAreShort) {
  const auto size = [](std::int64_t number) {
    return Written([=](ByteWriter& writer) { writer.SignedVarint(number); }).size();
  };
  EXPECT_EQ(size(0), 1U);
  EXPECT_EQ(size(-64), 1U);
  EXPECT_EQ(size(63), 1U);
  EXPECT_EQ(size(64), 2U);
  EXPECT_EQ(size(std::numeric_limits<std::int64_t>::min()), 10U);
}

TEST(BytesTest, TheOrderOfBytesIsTheOrderOfNumbers) {
  const auto fixed = [](std::uint64_t number) {
    return Written([=](ByteWriter& writer) { writer.Fixed64(number); });
  };
  EXPECT_LT(fixed(255), fixed(256));
  EXPECT_LT(fixed(1), fixed(std::uint64_t{1} << 63));
}

TEST(BytesTest, ReadingPastTheEndFailsAndStaysFailed) {
  ByteReader reader(std::string_view("\x01\x02", 2));

  EXPECT_EQ(reader.Fixed32(), 0U);

  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.Byte(), 0U);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_FALSE(reader.is_whole());
}

TEST(BytesTest, ALengthThatDoesNotFitFails) {
  const std::string bytes = Written([](ByteWriter& writer) {
    writer.Varint(std::numeric_limits<std::uint64_t>::max());
    writer.Raw("abc");
  });
  ByteReader reader(bytes);

  EXPECT_EQ(reader.Text(), "");
  EXPECT_TRUE(reader.failed());
}

TEST(BytesTest, ANumberThatNeverEndsFails) {
  const std::string bytes(11, '\xFF');
  ByteReader reader(bytes);

  reader.Varint();

  EXPECT_TRUE(reader.failed());
}

TEST(BytesTest, ANumberThatDoesNotFitItsTypeFails) {
  const std::string bytes = Written([](ByteWriter& writer) {
    writer.Varint(std::uint64_t{1} << 32);
    writer.SignedVarint(-129);
  });
  ByteReader unsigned_reader(bytes);
  EXPECT_EQ(unsigned_reader.Number<std::uint32_t>(), 0U);
  EXPECT_TRUE(unsigned_reader.failed());

  ByteReader signed_reader(bytes);
  EXPECT_EQ(signed_reader.Number<std::uint64_t>(), std::uint64_t{1} << 32);
  EXPECT_EQ(signed_reader.Number<std::int8_t>(), 0);
  EXPECT_TRUE(signed_reader.failed());
}

TEST(BytesTest, WhatIsLeftOverIsNotWhole) {
  ByteReader reader("ab");
  reader.Byte();

  EXPECT_FALSE(reader.failed());
  EXPECT_FALSE(reader.is_whole());
}

}  // namespace
}  // namespace wharf
