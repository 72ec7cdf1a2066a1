#include "tools/crash/runs/silence.h"

#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

using std::chrono::seconds;

constexpr Silence::Time kStart{seconds(100)};

TEST(SilenceTest, TheLongestBetweenTwoAcknowledgementsCounts) {
  Silence silence;
  silence.Begin(kStart);
  for (const int second : {1, 4, 6}) silence.NoteAcknowledged(kStart + seconds(second));

  EXPECT_EQ(silence.Longest(kStart + seconds(7)), seconds(3));
}

TEST(SilenceTest, TheOneAtTheBeginningAndTheOneThatIsNotOverCount) {
  Silence silence;
  silence.Begin(kStart);
  EXPECT_EQ(silence.Longest(kStart + seconds(5)), seconds(5));

  silence.NoteAcknowledged(kStart + seconds(5));
  EXPECT_EQ(silence.Longest(kStart + seconds(6)), seconds(5));
  EXPECT_EQ(silence.Longest(kStart + seconds(11)), seconds(6));
}

TEST(SilenceTest, WhatWasBeforeTheBeginningIsForgotten) {
  Silence silence;
  silence.Begin(kStart);
  silence.NoteAcknowledged(kStart + seconds(9));

  silence.Begin(kStart + seconds(10));

  EXPECT_EQ(silence.Longest(kStart + seconds(10)), Duration(0));
}

}  // namespace
}  // namespace wharf::crash
