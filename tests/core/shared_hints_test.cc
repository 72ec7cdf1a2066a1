// Hints that messages share: who shares which, and who has its own.

#include "broker/core/queue/shared_hints.h"

#include <vector>

#include <gtest/gtest.h>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Timestamp kStart{std::chrono::hours(100)};
const Shelf kOrders{EntityId{1}, LaneKind::kMain};

class SharedHintsTest : public ::testing::Test {
 protected:
  // The next message comes, at this time after the start, and lives so long. Whether it shares.
  bool Come(Duration after, Duration life, PartitionId partition = 0) {
    StoredMessage message;
    message.number = SequenceNumber(FirstNumberOf(partition).value() + count_++);
    message.enqueued_at = kStart + after;
    message.facts.expires_at = After(message.enqueued_at, life);
    return hints_.Take(kOrders, message, changes_);
  }
  std::vector<bool> ComeAll(std::size_t count, Duration after, Duration life) {
    std::vector<bool> shared;
    for (; count > 0; --count) shared.push_back(Come(after, life));
    return shared;
  }
  std::vector<SharedHint> Written() const {
    std::vector<SharedHint> written;
    for (const Change& change : changes_) written.push_back(std::get<HintShared>(change).shared);
    return written;
  }

  SharedHints hints_{seconds(1)};
  Changes changes_;
  std::uint64_t count_ = 0;
};

TEST_F(SharedHintsTest, TheFirstHasItsOwnAndTheSecondBeginsToShare) {
  EXPECT_EQ(ComeAll(4, {}, minutes(1)), (std::vector{false, true, true, true}));

  ASSERT_EQ(Written().size(), 1U);
  const SharedHint expected{
      {kStart + minutes(1), DueKind::kExpireShared, kOrders, SequenceNumber(2)},
      SequenceNumber(2 + SharedHints::kNumbersMax),
      kStart + seconds(1),
      kStart + minutes(1) + seconds(1)};
  EXPECT_EQ(Written()[0], expected);
}

TEST_F(SharedHintsTest, WhatComesWithinASecondSharesOne) {
  for (const int after : {0, 300, 999, 1000}) Come(milliseconds(after), minutes(1));
  EXPECT_EQ(Written().size(), 1U);

  EXPECT_FALSE(Come(milliseconds(1001), minutes(1)));
  EXPECT_TRUE(Come(milliseconds(1002), minutes(1)));
  EXPECT_EQ(Written().size(), 2U);
}

// When it is due their deleted rows may still be there, and are walked.
TEST_F(SharedHintsTest, SoManyNumbersShareOneAndNoMore) {
  ComeAll(1 + SharedHints::kNumbersMax, {}, minutes(1));
  EXPECT_EQ(Written().size(), 1U);

  EXPECT_TRUE(Come({}, minutes(1)));
  ASSERT_EQ(Written().size(), 2U);
  EXPECT_EQ(Written()[1].hint.number, Written()[0].end);
}

TEST_F(SharedHintsTest, WithoutATimeToLiveThereIsNone) {
  StoredMessage message;
  message.facts.expires_at = kNever;
  EXPECT_FALSE(hints_.Take(kOrders, message, changes_));
  EXPECT_FALSE(hints_.Take(kOrders, message, changes_));
  EXPECT_TRUE(changes_.empty());
}

TEST_F(SharedHintsTest, WhatExpiresSoonerThanTheLastHasItsOwn) {
  ComeAll(2, {}, minutes(1));
  EXPECT_TRUE(Come({}, minutes(1) + milliseconds(500)));
  EXPECT_FALSE(Come({}, minutes(1) + milliseconds(499)));
  EXPECT_TRUE(Come({}, minutes(1) + milliseconds(500)));
}

// The sweeper reads what is due at that instant, and does not see what comes behind it.
TEST_F(SharedHintsTest, WhoComesWhenItIsDueHasAnother) {
  ComeAll(2, {}, milliseconds(100));
  EXPECT_TRUE(Come(milliseconds(99), milliseconds(100)));
  EXPECT_FALSE(Come(milliseconds(100), milliseconds(100)));
}

TEST_F(SharedHintsTest, SeveralTimesToLiveTakeTurns) {
  for (int i = 0; i < 5; ++i) {
    for (const int life : {1, 10, 60}) EXPECT_EQ(Come(milliseconds(i), minutes(life)), i > 0);
  }
  EXPECT_EQ(Written().size(), 3U);
}

TEST_F(SharedHintsTest, MixedTimesToLiveHaveTheirOwn) {
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(Come({}, minutes(1 + i * 7 % 200)));
  EXPECT_TRUE(changes_.empty());
}

// Else a message that shares the one could be taken for one that shares the other.
TEST_F(SharedHintsTest, OfThoseThatAreOpenNoneMeansWhatAnotherOneDoes) {
  ComeAll(2, {}, minutes(1));
  for (int i = 0; i < 5; ++i) Come({}, minutes(1) - milliseconds(500));
  for (int i = 0; i < 5; ++i) Come({}, minutes(1) - milliseconds(700));

  ASSERT_EQ(Written().size(), 3U);
  EXPECT_EQ(Written()[1].expire_until, Written()[0].hint.time - Duration(1));
  EXPECT_EQ(Written()[2].expire_until, Written()[1].hint.time - Duration(1));
}

TEST_F(SharedHintsTest, EachPartitionHasItsOwn) {
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    EXPECT_FALSE(Come({}, minutes(1), partition));
  }
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    EXPECT_TRUE(Come({}, minutes(1), partition));
  }
  EXPECT_EQ(Written().size(), kPartitions);
}

TEST_F(SharedHintsTest, BehindAPurgeNothingIsShared) {
  ComeAll(3, {}, minutes(1));
  hints_.Clear();
  EXPECT_FALSE(Come({}, minutes(1)));
}

}  // namespace
}  // namespace wharf
