#include "replication/cluster_node/member_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(MemberClocksTest, OneThatIsWrongMovesNothing) {
  EXPECT_EQ(MedianOffset({}), Duration(0));
  EXPECT_EQ(MedianOffset({milliseconds(1), hours(1)}), milliseconds(1));
  EXPECT_EQ(MedianOffset({-hours(1), -milliseconds(1)}), -milliseconds(1));
  // It is this node's own that is wrong.
  EXPECT_EQ(MedianOffset({hours(1), hours(1)}), hours(1));
}

TEST(MemberClocksTest, OfTwoTheEarlierCounts) {
  EXPECT_EQ(MedianOffset({hours(1)}), Duration(0));
  EXPECT_EQ(MedianOffset({-hours(1)}), -hours(1));
}

TEST(MemberClocksTest, WhatIsApartIsToldOnceAndThatItIsNotAnyMore) {
  MemberClocks clocks;
  EXPECT_EQ(clocks.Note("n2", milliseconds(900)), "");
  EXPECT_THAT(clocks.Note("n2", -seconds(3600)), HasSubstr("n2 is 3600.0 s behind this node's"));
  EXPECT_EQ(clocks.Note("n2", -seconds(3600)), "");
  EXPECT_THAT(clocks.Note("n3", seconds(2)), HasSubstr("ahead of"));
  EXPECT_EQ(clocks.Note("n2", milliseconds(700)), "");
  EXPECT_THAT(clocks.Note("n2", milliseconds(100)), HasSubstr("agrees"));
}

}  // namespace
}  // namespace wharf
