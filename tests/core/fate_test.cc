#include "broker/core/queue/fate.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr Ending kEndings[] = {Ending::kCompleted, Ending::kDeadLettered, Ending::kReleased,
                               Ending::kFailed};

// Ten deliveries; what expires becomes a dead letter.
QueueDescription Keeping() { return {.dead_lettering_on_message_expiration = true}; }

TEST(FateTest, AReceiverThatIsDoneIsBelieved) {  // TTL-8
  for (const bool has_expired : {false, true}) {
    const LockFacts lock{LaneKind::kMain, 9, has_expired};
    EXPECT_EQ(FateOf(Keeping(), lock, Ending::kCompleted), Fate::kIsDone);
    EXPECT_EQ(FateOf(Keeping(), lock, Ending::kDeadLettered), Fate::kIsDeadLettered);
  }
}

TEST(FateTest, WhatComesBackAndHasExpiredGoes) {  // TTL-8
  for (const Ending ending : {Ending::kReleased, Ending::kFailed}) {
    const LockFacts lock{.has_expired = true};
    EXPECT_EQ(FateOf(Keeping(), lock, ending), Fate::kExpires);
    EXPECT_EQ(FateOf({}, lock, ending), Fate::kIsDropped);
  }
}

TEST(FateTest, AFailureTooManyEndsInTheDeadLetterQueue) {  // MAX-2
  const QueueDescription three{.max_delivery_count = 3};

  EXPECT_EQ(FateOf(three, {.delivery_count = 1}, Ending::kFailed), Fate::kStays);
  EXPECT_EQ(FateOf(three, {.delivery_count = 2}, Ending::kFailed), Fate::kHasFailed);
}

TEST(FateTest, AReleaseIsNoFailure) {  // CNT-9
  const QueueDescription once{.max_delivery_count = 1};

  EXPECT_EQ(FateOf(once, {}, Ending::kReleased), Fate::kStays);
  EXPECT_EQ(FateOf(once, {}, Ending::kFailed), Fate::kHasFailed);
}

TEST(FateTest, ExpiryIsToldBeforeFailure) {
  const QueueDescription once{.max_delivery_count = 1};

  EXPECT_EQ(FateOf(once, {.has_expired = true}, Ending::kFailed), Fate::kIsDropped);
}

TEST(FateTest, ADeadLetterIsDoneOrStays) {  // DLQ-7
  const QueueDescription once{.max_delivery_count = 1};

  for (const Ending ending : kEndings) {
    const LockFacts lock{LaneKind::kDeadLetter, 100, false};
    EXPECT_EQ(FateOf(once, lock, ending),
              ending == Ending::kCompleted ? Fate::kIsDone : Fate::kStays);
  }
}

TEST(FateTest, WhatGoesToTheDeadLetterQueueIsReadFirst) {
  for (const Fate fate : {Fate::kExpires, Fate::kHasFailed, Fate::kIsDeadLettered}) {
    EXPECT_TRUE(Moves(fate));
  }
  for (const Fate fate : {Fate::kIsDone, Fate::kStays, Fate::kIsDropped}) {
    EXPECT_FALSE(Moves(fate));
  }
}

}  // namespace
}  // namespace wharf
