#include "replication/peers/clock_probe.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Timestamp kNow{std::chrono::hours(24 * 365 * 56)};

// An answer to a ping of `asked_at`, given when the other clock said `theirs`.
std::string Pong(Duration asked_at, Timestamp theirs) {
  return ClockProbe::PongTo(ClockProbe::Ping(asked_at), theirs).value();
}

TEST(ClockProbeTest, HalfOfTheWayIsTakenOffTheOffset) {
  ClockProbe probe;

  // Asked at 10 s, answered 20 ms later by a clock that is an hour ahead, and back 20 ms after
  // that.
  const Timestamp theirs = kNow - milliseconds(20) + std::chrono::hours(1);
  ASSERT_TRUE(probe.Take(Pong(seconds(10), theirs), seconds(10) + milliseconds(40), kNow));

  EXPECT_EQ(probe.Best()->round_trip, milliseconds(40));
  EXPECT_EQ(probe.Best()->clock_offset, std::chrono::hours(1));
}

TEST(ClockProbeTest, TheQuickestAnswerIsBelieved) {
  ClockProbe probe;
  probe.Take(Pong(seconds(1), kNow + seconds(5)), seconds(1) + milliseconds(900), kNow);
  probe.Take(Pong(seconds(2), kNow), seconds(2) + milliseconds(2), kNow);
  probe.Take(Pong(seconds(3), kNow + seconds(5)), seconds(3) + milliseconds(800), kNow);

  EXPECT_EQ(probe.Best()->round_trip, milliseconds(2));
  EXPECT_EQ(probe.Best()->clock_offset, milliseconds(1));
}

TEST(ClockProbeTest, WhatWasLongAgoIsForgotten) {
  ClockProbe probe;
  probe.Take(Pong(seconds(1), kNow), seconds(1) + milliseconds(1), kNow);
  for (int i = 0; i < 8; ++i) {
    probe.Take(Pong(seconds(2), kNow), seconds(2) + milliseconds(30), kNow);
  }

  EXPECT_EQ(probe.Best()->round_trip, milliseconds(30));
}

TEST(ClockProbeTest, AnswersThatCannotBeAreRefused) {
  ClockProbe probe;
  const Timestamp far = kNow + std::chrono::hours(24 * 366 * 200);

  EXPECT_FALSE(probe.Take("", seconds(1), kNow));
  EXPECT_FALSE(probe.Take(Pong(seconds(2), kNow), seconds(1), kNow));
  EXPECT_FALSE(probe.Take(Pong(seconds(-1), kNow), seconds(1), kNow));
  EXPECT_FALSE(probe.Take(Pong(seconds(1), far), seconds(1), kNow));
  EXPECT_FALSE(probe.Take(Pong(seconds(1), Timestamp(Duration::min())), seconds(1), kNow));
  EXPECT_FALSE(probe.Take(Pong(seconds(1), Timestamp(Duration::max())), seconds(1), kNow));
  EXPECT_EQ(probe.Best(), std::nullopt);
}

TEST(ClockProbeTest, WhatIsNoPingIsNotAnswered) {
  EXPECT_FALSE(ClockProbe::PongTo("", kNow));
  EXPECT_FALSE(ClockProbe::PongTo("123456789", kNow));
  EXPECT_TRUE(ClockProbe::PongTo("12345678", kNow));
}

}  // namespace
}  // namespace wharf
