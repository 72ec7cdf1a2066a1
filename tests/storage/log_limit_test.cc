#include "storage/base/log_limit.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::seconds;

class LogLimitTest : public ::testing::Test {
 protected:
  Duration now_ = seconds(100);
  LogLimit limit_{seconds(10), [this] { return now_; }};
};

TEST_F(LogLimitTest, TheFirstLineIsLetThrough) { EXPECT_EQ(limit_.Admit(), 0U); }

TEST_F(LogLimitTest, ALineTooSoonIsNot) {
  ASSERT_TRUE(limit_.Admit());
  now_ += seconds(9);

  EXPECT_EQ(limit_.Admit(), std::nullopt);
}

TEST_F(LogLimitTest, TheNextLineTellsHowManyWereNot) {
  ASSERT_TRUE(limit_.Admit());
  now_ += seconds(9);
  ASSERT_FALSE(limit_.Admit());
  ASSERT_FALSE(limit_.Admit());
  now_ += seconds(1);

  EXPECT_EQ(limit_.Admit(), 2U);
  now_ += seconds(10);
  EXPECT_EQ(limit_.Admit(), 0U);
}

TEST_F(LogLimitTest, WhatWasNotSaidIsTold) {
  EXPECT_EQ(Unsaid(0), "");
  EXPECT_EQ(Unsaid(7), " (and 7 more like it before)");
}

}  // namespace
}  // namespace wharf
