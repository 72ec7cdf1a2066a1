#include "broker/daemon/process/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/engine/turn/turn_watch.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WatchdogTest : public ::testing::Test {
 protected:
  WatchdogTest() { health_.Heal(Ailment::kStarting); }

  // What is found now.
  std::vector<Health::Finding> Look() {
    watchdog_.Look();
    return health_.findings();
  }

  Health health_;
  Duration sync_{};
  Duration turn_{};
  DiskReport disk_;
  Watchdog watchdog_{
      health_, {[this] { return sync_; }, [this] { return turn_; }, [this] { return disk_; }}};
};

TEST_F(WatchdogTest, WhatEndsInTimeIsWell) {
  sync_ = Watchdog::kDiskMax - Duration(1);
  turn_ = Watchdog::kTurnMax - Duration(1);
  disk_.state = DiskState::kNearlyFull;

  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(WatchdogTest, ASyncThatHangsIsNoticedAndItsEndToo) {
  sync_ = std::chrono::milliseconds(4500);
  ASSERT_THAT(Look(), SizeIs(1));
  EXPECT_EQ(health_.findings().front().ailment, Ailment::kSlowDisk);
  EXPECT_THAT(health_.findings().front().why, HasSubstr("for 4.5 s"));

  sync_ = {};
  EXPECT_THAT(Look(), IsEmpty());
}

TEST_F(WatchdogTest, ATurnThatHangsIsNoticed) {
  turn_ = Watchdog::kTurnMax;
  ASSERT_THAT(Look(), SizeIs(1));
  EXPECT_EQ(health_.findings().front().ailment, Ailment::kHungTurn);
}

TEST_F(WatchdogTest, AFullDiskIsNoticed) {
  disk_ = {DiskState::kFull, 5, 10};
  ASSERT_THAT(Look(), SizeIs(1));
  EXPECT_EQ(health_.findings().front().ailment, Ailment::kFullDisk);
  EXPECT_THAT(health_.findings().front().why, HasSubstr("5 bytes"));
}

TEST(TurnWatchTest, ItKnowsForHowLongAndHowLong) {
  Duration now{100};
  TurnWatch watch([&] { return now; });
  EXPECT_EQ(watch.age(), Duration(0));
  {
    const TurnWatch::Work work(watch);
    now += Duration(30);
    EXPECT_EQ(watch.age(), Duration(30));
  }
  now += Duration(70);

  EXPECT_EQ(watch.age(), Duration(0));
  EXPECT_EQ(watch.lengths().count, 1u);
  EXPECT_EQ(watch.lengths().sum, Duration(30));
}

}  // namespace
}  // namespace wharf
