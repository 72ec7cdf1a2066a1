#include "replication/cluster_node/log_times.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::seconds;

TEST(LogTimesTest, WhoHasEverythingIsNotBehind) {
  LogTimes times;
  times.Note(7, seconds(1));

  EXPECT_EQ(times.BehindFor(7, seconds(9)), Duration(0));
  EXPECT_EQ(times.BehindFor(8, seconds(9)), Duration(0));
  EXPECT_EQ(LogTimes().BehindFor(0, seconds(9)), Duration(0));
}

TEST(LogTimesTest, WhoLacksAnEntryIsBehindSinceTheLogHadIt) {
  LogTimes times;
  times.Note(7, seconds(1));
  times.Note(9, seconds(2));
  times.Note(9, seconds(3));  // Nothing came.
  times.Note(12, seconds(4));

  EXPECT_EQ(times.BehindFor(6, seconds(10)), seconds(9));
  EXPECT_EQ(times.BehindFor(7, seconds(10)), seconds(8));
  EXPECT_EQ(times.BehindFor(8, seconds(10)), seconds(8));
  EXPECT_EQ(times.BehindFor(9, seconds(10)), seconds(6));
}

TEST(LogTimesTest, TheNextLeadershipBeginsAnew) {
  LogTimes times;
  times.Note(7, seconds(1));

  times.Clear();

  times.Note(9, seconds(5));
  EXPECT_EQ(times.BehindFor(3, seconds(6)), seconds(1));
}

TEST(LogTimesTest, WhatIsLongAgoIsKeptMoreCoarselyAndTheLongestIsNot) {
  LogTimes times;
  for (int second = 1; second <= 10'000; ++second) {
    times.Note(static_cast<std::uint64_t>(second), seconds(second));
  }

  EXPECT_EQ(times.BehindFor(0, seconds(10'000)), seconds(9'999));
  // Not early, and not late by more than is between two looks that are left.
  const Duration recent = times.BehindFor(9'990, seconds(10'000));
  EXPECT_EQ(recent, seconds(9));
  const Duration old = times.BehindFor(5'000, seconds(10'000));
  EXPECT_LE(old, seconds(4'999));
  EXPECT_GE(old, seconds(4'600));
}

}  // namespace
}  // namespace wharf
