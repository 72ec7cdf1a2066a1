#include "tools/crash/history/body.h"

#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

TEST(BodyTest, HasTheSizeThatWasAskedFor) {
  for (const std::size_t size : {0, 1, 11, 12, 13, 4096, 300 * 1024}) {
    EXPECT_EQ(MakeBody({3, 17}, size).size(), size);
  }
}

TEST(BodyTest, DiffersBetweenMessages) {
  EXPECT_EQ(MakeBody({3, 17}, 100), MakeBody({3, 17}, 100));
  EXPECT_NE(MakeBody({3, 17}, 100), MakeBody({3, 18}, 100));
  EXPECT_NE(MakeBody({3, 17}, 100), MakeBody({4, 17}, 100));
}

TEST(BodyTest, ItsDigestTellsOneChangedByteAndOneMissing) {
  const std::string body = MakeBody({3, 17}, 100);
  std::string changed = body;
  changed[60] ^= 1;

  EXPECT_NE(DigestOf(changed), DigestOf(body));
  EXPECT_NE(DigestOf(body.substr(0, 99)), DigestOf(body));
}

TEST(MessageIdTest, IsReadBackFromItsText) {
  EXPECT_EQ(ParseMessageId(ToString(MessageId{3, 17})), (MessageId{3, 17}));
  EXPECT_EQ(ParseMessageId("3-"), std::nullopt);
  EXPECT_EQ(ParseMessageId("3"), std::nullopt);
  EXPECT_EQ(ParseMessageId("3-x"), std::nullopt);
}

}  // namespace
}  // namespace wharf::crash
