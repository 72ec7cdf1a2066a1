#include "replication/peers/streams/repeated_news.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

class RepeatedNewsTest : public ::testing::Test {
 protected:
  Duration now_{};
  RepeatedNews news_{[this] { return now_; }};
};

TEST_F(RepeatedNewsTest, ASentenceIsNewsOnceAMinute) {
  EXPECT_TRUE(news_.IsNews("n2 does not answer"));
  now_ += std::chrono::seconds(59);
  EXPECT_FALSE(news_.IsNews("n2 does not answer"));
  now_ += std::chrono::seconds(1);
  EXPECT_TRUE(news_.IsNews("n2 does not answer"));
}

TEST_F(RepeatedNewsTest, AnotherSentenceIsNewsAtOnce) {
  EXPECT_TRUE(news_.IsNews("n2 does not answer"));
  EXPECT_TRUE(news_.IsNews("n3 does not answer"));
}

TEST_F(RepeatedNewsTest, WhoMakesUpNewOnesIsNotBelievedForLong) {
  int told = 0;
  for (int i = 0; i < 10000; ++i) told += news_.IsNews("attempt " + std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(told, 64);

  now_ += std::chrono::minutes(1);
  EXPECT_TRUE(news_.IsNews("attempt 0"));
}

}  // namespace
}  // namespace wharf
