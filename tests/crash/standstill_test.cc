#include "tools/crash/runs/standstill.h"

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

#include "tools/crash/runs/pace.h"

namespace wharf::crash {
namespace {

using std::chrono::milliseconds;

TEST(StandstillTest, WhatAThreadSleptTooLongIsToldOnce) {
  std::atomic<Duration> now{milliseconds(1000)};
  Standstill standstill([&now] { return Silence::Time(now.load()); });

  now = milliseconds(1700);

  EXPECT_EQ(standstill.TakeLongest(), milliseconds(700) - Standstill::kSleep);
  EXPECT_EQ(standstill.TakeLongest(), Duration(0));
  now = milliseconds(1700) + Standstill::kSleep;
  EXPECT_EQ(standstill.TakeLongest(), Duration(0));
}

TEST(StandstillTest, AMachineThatIsSlowAtTheStartHasLeadersThatMayBeSilentForLonger) {
  EXPECT_EQ(ElectionTimeoutAt(1), milliseconds(1000));
  EXPECT_EQ(ElectionTimeoutAt(2.5), milliseconds(2500));
  EXPECT_EQ(ElectionTimeoutAt(100), milliseconds(10000));
}

}  // namespace
}  // namespace wharf::crash
