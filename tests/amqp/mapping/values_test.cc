// Values of properties: what is plain for the broker, what stays encoded, and what it looks like
// then.
#include <limits>

#include <gtest/gtest.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/mapping/decimal128.h"
#include "broker/doors/amqp/mapping/property_bytes.h"
#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"
#include "tests/harness/sample_message.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

std::string BytesOf(const PropertyValue& value) {
  std::string bytes;
  Writer writer(bytes);
  WriteProperty(writer, value);
  return bytes;
}

TEST(PropertyBytesTest, EachTypeIsWrittenAndReadAgain) {  // USR-2
  for (const auto& [name, value] : SampleProperties()) {
    const std::string bytes = BytesOf(value);
    EXPECT_EQ(BytesOf(PropertyOf(bytes)), bytes) << name;
    if (name != "decimal" && name != "timestamp" && name != "datetime offset") {
      EXPECT_EQ(PropertyOf(bytes), value) << name;
    }
  }
}

TEST(PropertyBytesTest, AnyValueKeepsItsBytes) {
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    Generator random(seed);
    const std::string bytes = Encoded(RandomValue(random));
    ASSERT_EQ(HexText(BytesOf(PropertyOf(bytes))), HexText(bytes));
  }
}

TEST(PropertyBytesTest, ATimeBeyondTheirRangeIsItsEnd) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(BytesOf(Instant{{kMax, 0}}), FromHex("83 7f ff ff ff ff ff ff ff"));
  EXPECT_EQ(BytesOf(TimeSpan{{-kMax, 0}}),
            FromHex("00 a3 ['com.microsoft:timespan'] 81 80 00 00 00 00 00 00 00"));
}

// As .NET's TimeSpan.MaxValue: gRPC and JSON have no such duration.
TEST(EncodedValueTest, ASpanBeyondTenThousandYearsStaysAsItIs) {
  const auto span = [](const char* ticks) {
    return PlainOf(FromHex(std::string("00 a3 ['com.microsoft:timespan'] 81 ") + ticks));
  };
  EXPECT_FALSE(span("7f ff ff ff ff ff ff ff").has_value());
  EXPECT_FALSE(span("80 00 00 00 00 00 00 00").has_value());
  EXPECT_TRUE(span("00 00 00 00 00 98 96 80").has_value());
}

// In ticks since the year 1; a filter compares it as any other time.
TEST(EncodedValueTest, AnOffsetTimeWithinTheCalendarIsATime) {
  const auto time = [](const char* ticks) {
    return PlainOf(FromHex(std::string("00 a3 ['com.microsoft:datetime-offset'] 81 ") + ticks));
  };
  EXPECT_EQ(time("08 9f 7f f5 f7 b5 80 00"), PropertyValue(DateTimeOffset{{0, 0}}));
  EXPECT_EQ(time("08 9f 7f f5 f8 4e 16 81"), PropertyValue(DateTimeOffset{{1, 100}}));
  EXPECT_EQ(time("7f ff ff ff ff ff ff ff"), std::nullopt);
  EXPECT_EQ(time("ff ff ff ff ff ff ff ff"), std::nullopt);
}

// Of what is damaged nothing is read beyond its end.
TEST(EncodedValueTest, AnyBytesAreAValueOrNone) {
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const SeedNote note("seed " + std::to_string(seed));
    Generator random(seed);
    std::string bytes = Encoded(RandomValue(random));
    Spoil(bytes, random);
    const auto plain = PlainOf(bytes);
    const auto text = wharf::TextOf(bytes);
    const auto id = IdTextOf(bytes);
    ASSERT_LE(text.value_or("").size(), bytes.size());
    ASSERT_LE(id.value_or("").size(), 2 * bytes.size() + 36);
    if (plain) BytesOf(*plain);
  }
}

TEST(EncodedValueTest, WhatIsLongerThanItNeedBeMeansTheSame) {
  EXPECT_EQ(PlainOf(FromHex("71 ff ff ff fe")), PropertyValue(std::int32_t{-2}));
  EXPECT_EQ(PlainOf(FromHex("81 ff ff ff ff ff ff ff fe")), PropertyValue(std::int64_t{-2}));
  EXPECT_EQ(PlainOf(FromHex("70 00 00 00 00")), PropertyValue(std::uint32_t{0}));
  EXPECT_EQ(PlainOf(FromHex("80 00 00 00 00 00 00 00 01")), PropertyValue(std::uint64_t{1}));
  EXPECT_EQ(PlainOf(FromHex("56 00")), PropertyValue(false));
  EXPECT_EQ(PlainOf(FromHex("b1 00 00 00 01 'x'")), PropertyValue(std::string("x")));
  EXPECT_EQ(wharf::TextOf(FromHex("a3 ['sym']")), "sym");
  EXPECT_EQ(PlainOf(FromHex("a3 ['sym']")), std::nullopt);
  EXPECT_EQ(PlainOf(FromHex("45")), std::nullopt);
  EXPECT_EQ(PlainOf(""), std::nullopt);
}

TEST(Decimal128Test, KeepsItsScale) {
  const auto hex = [](std::string_view text) {
    const auto decimal = Decimal128Of(text);
    return decimal ? HexText({decimal->bytes.data(), decimal->bytes.size()}) : "";
  };
  EXPECT_EQ(hex("0"), HexText(FromHex("30 40 00 00 00 00 00 00 00 00 00 00 00 00 00 00")));
  EXPECT_EQ(hex("12.50"), HexText(FromHex("30 3c 00 00 00 00 00 00 00 00 00 00 00 00 04 e2")));
  EXPECT_EQ(hex("-1"), HexText(FromHex("b0 40 00 00 00 00 00 00 00 00 00 00 00 00 00 01")));
  EXPECT_EQ(hex(""), "");
  EXPECT_EQ(hex("1e5"), "");
  EXPECT_EQ(hex("1.2.3"), "");
  EXPECT_EQ(hex(std::string(35, '1')), "");
}

TEST(Decimal128Test, ATextThatIsNoneIsAString) {
  EXPECT_EQ(BytesOf(Decimal{"many"}), FromHex("a1 ['many']"));
}

}  // namespace
}  // namespace wharf::amqp
