#include "broker/doors/amqp/message/body_head.h"

#include <gtest/gtest.h>

#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

Result<std::optional<BodyHead>> Read(std::string_view hex) {
  return ReadBodyHead(FromHex(hex), DecodeLimits());
}

TEST(BodyHeadTest, DataAndPlainValuesTellTheirLength) {
  const auto data = Read("00 53 75 b0 00 20 00 00 'x'");
  ASSERT_TRUE(data.ok() && data->has_value());
  EXPECT_EQ((*data)->kind, BodyKind::kData);
  EXPECT_EQ((*data)->head_bytes, 8U);
  EXPECT_EQ((*data)->content_bytes, 0x200000U);
  EXPECT_TRUE((*data)->is_usual);

  const auto long_descriptor = Read("00 80 00 00 00 00 00 00 00 75 b0 00 20 00 00");
  ASSERT_TRUE(long_descriptor.ok() && long_descriptor->has_value());
  EXPECT_EQ((*long_descriptor)->head_bytes, 15U);
  EXPECT_FALSE((*long_descriptor)->is_usual);

  for (const char* value : {"00 53 77 b0 00 20 00 00", "00 53 77 b1 00 20 00 00"}) {
    const auto head = Read(value);
    ASSERT_TRUE(head.ok() && head->has_value()) << value;
    EXPECT_EQ((*head)->kind, BodyKind::kValue);
    EXPECT_EQ((*head)->content_bytes, 0x200000U);
  }
}

TEST(BodyHeadTest, AHeadThatIsCutIsWaitedFor) {
  const std::string head = FromHex("00 a3 ['amqp:data:binary'] b0 00 20 00 00");
  for (std::size_t bytes = 0; bytes < head.size(); ++bytes) {
    const auto cut = ReadBodyHead(std::string_view(head).substr(0, bytes), DecodeLimits());
    EXPECT_TRUE(cut.ok() && !cut->has_value()) << bytes;
  }
  const auto whole = ReadBodyHead(head, DecodeLimits());
  EXPECT_TRUE(whole.ok() && whole->has_value());
}

TEST(BodyHeadTest, AnythingElseDoesNot) {
  for (const char* other :
       {"00 53 76 d0 00 20 00 00 00 00 00 01", "00 53 77 d0 00 20 00 00 00 00 00 01",
        "00 53 77 a3 01 'x'", "00 53 75 b1 00 20 00 00", "45"}) {
    EXPECT_FALSE(Read(other).ok()) << other;
  }
}

}  // namespace
}  // namespace wharf::amqp
