// Every encoding of every type: read, written, and cut short at every byte.
#include "tests/amqp/codec/golden_values.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/codec/writer.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

TEST(GoldenValuesTest, EachEncodingIsRead) {
  for (const GoldenValue& golden : kGoldenValues) {
    const std::string bytes = FromHex(golden.hex);
    Reader reader(bytes);
    Value value;
    reader.Read(value);
    EXPECT_EQ(reader.error(), "") << golden.hex;
    EXPECT_TRUE(reader.at_end()) << golden.hex;
    EXPECT_EQ(TextOf(value), golden.text) << golden.hex;
  }
}

TEST(GoldenValuesTest, TheShortestEncodingIsWritten) {
  for (const GoldenValue& golden : kGoldenValues) {
    const std::string bytes = FromHex(golden.hex);
    Reader reader(bytes);
    Value value;
    reader.Read(value);
    const std::string encoded = Encoded(value);
    EXPECT_EQ(encoded == bytes, golden.is_ours) << golden.text << ": " << HexOf(encoded);
    Reader again(encoded);
    Value same;
    again.Read(same);
    EXPECT_EQ(same, value) << golden.text;
  }
}

TEST(GoldenValuesTest, AnEncodedValueIsTakenAsItsBytes) {
  for (const GoldenValue& golden : kGoldenValues) {
    const std::string bytes = FromHex(golden.hex);
    const std::string followed = bytes + "rest";
    Reader reader(followed);
    EXPECT_EQ(HexOf(reader.TakeEncoded()), HexOf(bytes));
    EXPECT_EQ(reader.rest(), "rest") << golden.hex;
  }
}

// The prefix stands in memory of its own size, so that the address sanitizer sees a look beyond.
TEST(GoldenValuesTest, WhatIsCutShortIsRefused) {
  for (const GoldenValue& golden : kGoldenValues) {
    const std::string bytes = FromHex(golden.hex);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::unique_ptr<char[]> prefix(new char[size]);
      bytes.copy(prefix.get(), size);
      Reader reader({prefix.get(), size});
      Value value;
      reader.Read(value);
      EXPECT_FALSE(reader.ok()) << golden.hex << " cut at " << size;
      Reader skipping({prefix.get(), size});
      skipping.TakeEncoded();
      EXPECT_FALSE(skipping.ok()) << golden.hex << " cut at " << size;
    }
  }
}

}  // namespace
}  // namespace wharf::amqp
