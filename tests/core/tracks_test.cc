// Tracks of a lane, moved by hand as the lane moves them.

#include "broker/core/order/tracks.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr SequenceNumber kEnd{~std::uint64_t{0}};

WaitingMessage Fresh(Tracks::Id track, std::uint64_t number, std::int64_t size = 10) {
  auto content = std::make_shared<StoredMessage>();
  content->number = SequenceNumber(number);
  content->facts.size = size;
  content->facts.track = track;
  return {content->number, {}, content->facts, Standing::kFresh, content};
}

// As it comes back from a lock: its content is to be read again.
WaitingMessage Back(Tracks::Id track, std::uint64_t number) {
  WaitingMessage message = Fresh(track, number);
  message.message = nullptr;
  message.standing = Standing::kReturned;
  return message;
}

class TracksTest : public ::testing::Test {
 protected:
  // What is delivered, up to `count`.
  static Numbers Pop(Tracks& tracks, std::size_t count) {
    Numbers popped;
    while (popped.size() < count && tracks.head() != nullptr) {
      popped.push_back(tracks.PopHead().number.value());
    }
    return popped;
  }

  const WindowLimits limits_{};
  Tracks levels_{TrackKind::kLevels, /*is_empty=*/true, limits_};
  Tracks partitions_{TrackKind::kPartitions, /*is_empty=*/true, limits_};
};

TEST_F(TracksTest, TheHighestLevelComesFirstAndInALevelTheLowestNumber) {  // PRI-1
  levels_.Add(Fresh(4, 1));
  levels_.Add(Fresh(0, 2));
  levels_.Add(Fresh(9, 3));
  levels_.Add(Fresh(4, 4));
  levels_.Add(Fresh(9, 5));

  EXPECT_EQ(Pop(levels_, 9), Numbers({3, 5, 1, 4, 2}));
}

TEST_F(TracksTest, AfterSixteenThatPassedOverALowerLevelItsOldestIsDelivered) {  // PRI-2
  for (std::uint64_t number = 1; number <= 40; ++number) levels_.Add(Fresh(9, number));
  levels_.Add(Fresh(5, 102));
  levels_.Add(Fresh(0, 101));
  levels_.Add(Fresh(5, 103));

  Numbers popped = Pop(levels_, 60);

  ASSERT_EQ(popped.size(), 43U);
  EXPECT_EQ(popped[15], 16U);
  EXPECT_EQ(popped[16], 101U);
  EXPECT_EQ(popped[32], 32U);
  EXPECT_EQ(popped[33], 102U);
}

// Else the highest that something waits in would be taken for the lower one.
TEST_F(TracksTest, WhoeverIsNextAfterSixteenItIsKnownWhichLevelIsTheHighest) {  // PRI-2
  for (std::uint64_t number = 1; number <= 16; ++number) levels_.Add(Fresh(9, number));
  levels_.Add(Fresh(5, 101));
  levels_.Add(Fresh(4, 102));
  ASSERT_EQ(Pop(levels_, 16).back(), 16U);
  levels_.Add(Fresh(8, 103));
  levels_.Drop();
  levels_.Remove(SequenceNumber(103), Fresh(8, 103).facts);

  ASSERT_EQ(levels_.NextReads().size(), 3U);
  levels_.TakeRead(5, SessionBatch{SequenceNumber(101), kEnd, {Fresh(5, 101)}});
  levels_.TakeRead(4, SessionBatch{SequenceNumber(102), kEnd, {Fresh(4, 102)}});
  EXPECT_EQ(levels_.head(), nullptr);

  levels_.TakeRead(8, SessionBatch{SequenceNumber(103), kEnd, {}});
  EXPECT_EQ(Pop(levels_, 2), Numbers({102, 101}));
}

TEST_F(TracksTest, NobodyIsPassedOverWhereNothingWaits) {  // PRI-2
  for (std::uint64_t number = 1; number <= 30; ++number) levels_.Add(Fresh(9, number));
  EXPECT_EQ(Pop(levels_, 20).back(), 20U);

  levels_.Add(Fresh(0, 101));

  EXPECT_EQ(Pop(levels_, 10), Numbers({21, 22, 23, 24, 25, 26, 27, 28, 29, 30}));
  EXPECT_EQ(Pop(levels_, 1), Numbers({101}));
}

TEST_F(TracksTest, WhatComesBackHasItsOldPlaceInItsLevel) {  // PRI-1, STA-2
  levels_.Add(Fresh(4, 3));
  levels_.Add(Fresh(2, 1));
  levels_.Add(Back(4, 2));

  // Not 3, nor 1: 2 comes first, and must be read.
  EXPECT_EQ(levels_.head(), nullptr);
  const auto reads = levels_.NextReads();
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].first, 4);
  levels_.TakeRead(4, ContentBatch{{Fresh(4, 2).message}});
  EXPECT_EQ(Pop(levels_, 9), Numbers({2, 3, 1}));
}

TEST_F(TracksTest, WhatWasLoadedIsReadLevelByLevelBeforeAnythingLowerIsDelivered) {  // PRI-1
  Tracks loaded(TrackKind::kLevels, /*is_empty=*/false, limits_);
  const auto reads = loaded.NextReads();
  ASSERT_EQ(reads.size(), 10U);
  for (const auto& [track, read] : reads) {
    EXPECT_EQ(std::get<ReadSession>(read).session, std::string(1, static_cast<char>(track)));
  }
  EXPECT_TRUE(loaded.NextReads().empty());

  loaded.TakeRead(3, SessionBatch{{}, kEnd, {Fresh(3, 7)}});
  EXPECT_EQ(loaded.head(), nullptr);

  for (Tracks::Id level = 4; level <= 9; ++level)
    loaded.TakeRead(level, SessionBatch{{}, kEnd, {}});
  EXPECT_EQ(Pop(loaded, 9), Numbers({7}));
}

TEST_F(TracksTest, PartitionsTakeTurnsAndEachKeepsItsOrder) {  // PAR-4, PAR-2
  for (std::uint64_t number = 1; number <= 3; ++number) {
    partitions_.Add(Fresh(2, FirstNumberOf(2).value() + number));
  }
  partitions_.Add(Fresh(7, FirstNumberOf(7).value()));
  partitions_.Add(Fresh(0, 1));

  const std::uint64_t two = FirstNumberOf(2).value();
  EXPECT_EQ(Pop(partitions_, 9), Numbers({1, two + 1, FirstNumberOf(7).value(), two + 2, two + 3}));
}

TEST_F(TracksTest, APartitionThatMustBeReadLosesItsTurnOnly) {  // PAR-4
  partitions_.Add(Back(1, FirstNumberOf(1).value()));
  partitions_.Add(Fresh(2, FirstNumberOf(2).value()));

  EXPECT_EQ(Pop(partitions_, 9), Numbers({FirstNumberOf(2).value()}));
}

TEST_F(TracksTest, MemoryIsBoundedWhateverWaits) {
  for (std::uint64_t number = 1; number <= 20000; ++number) {
    levels_.Add(Fresh(static_cast<Tracks::Id>(number % 10), number, 10000));
  }

  EXPECT_LE(levels_.bytes(), limits_.bytes_max * 3);
  levels_.Drop();
  EXPECT_EQ(levels_.bytes(), 0U);
  EXPECT_EQ(levels_.head(), nullptr);
  EXPECT_EQ(levels_.NextReads().size(), 10U);
}

TEST_F(TracksTest, OneThatIsTakenByItsNumberIsGone) {  // ONE-1
  levels_.Add(Fresh(9, 1));
  levels_.Add(Fresh(9, 2));
  levels_.Remove(SequenceNumber(1), Fresh(9, 1).facts);
  EXPECT_EQ(levels_.bytes(), 10U);
  EXPECT_EQ(Pop(levels_, 9), Numbers({2}));
}

// FWD-15
TEST_F(TracksTest, WhatIsPassedIsNotTheHeadAgainUntilTheWindowsAreDropped) {
  const std::uint64_t seven = FirstNumberOf(7).value();
  partitions_.Add(Fresh(0, 1));
  partitions_.Add(Fresh(0, 2));
  partitions_.Add(Fresh(7, seven));

  partitions_.PassHead();
  EXPECT_EQ(partitions_.passed(), 1U);
  EXPECT_EQ(Pop(partitions_, 9), Numbers({2, seven}));

  partitions_.Drop();
  EXPECT_EQ(partitions_.passed(), 0U);
  const auto reads = partitions_.NextReads();
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(std::get<ReadSession>(reads[0].second).from, SequenceNumber());
}

TEST_F(TracksTest, WhatWasPassedMayBeTakenByItsNumber) {  // ONE-1
  partitions_.Add(Fresh(0, 1));
  partitions_.Add(Fresh(0, 2));
  partitions_.PassHead();

  partitions_.Remove(SequenceNumber(2), Fresh(0, 2).facts);
  EXPECT_EQ(partitions_.passed(), 1U);
  partitions_.Remove(SequenceNumber(1), Fresh(0, 1).facts);
  EXPECT_EQ(partitions_.passed(), 0U);
}

// It would be counted twice.
TEST_F(TracksTest, ATrackThatMustBeReadAgainForgetsWhatWasPassed) {
  const WindowLimits few{.messages_max = 16};
  Tracks tracks(TrackKind::kPartitions, /*is_empty=*/true, few);
  for (std::uint64_t number = 100; number < 116; ++number) tracks.Add(Fresh(0, number));
  for (int i = 0; i < 10; ++i) tracks.PassHead();

  for (std::uint64_t number = 1; number <= 16; ++number) tracks.Add(Fresh(0, number));
  EXPECT_EQ(tracks.passed(), 10U);
  tracks.Add(Fresh(0, 17));
  EXPECT_EQ(tracks.passed(), 0U);
  EXPECT_EQ(tracks.bytes(), 0U);
}

TEST_F(TracksTest, TheHeadIsTheFirstOfThoseAhead) {  // DUP-9
  for (std::uint64_t number = 1; number <= 3; ++number) levels_.Add(Fresh(4, number));
  levels_.Add(Fresh(9, 4));
  levels_.Add(Fresh(0, 5));

  const std::vector<MessagePtr> ahead = levels_.Ahead(100);
  ASSERT_EQ(ahead.size(), 5U);
  EXPECT_EQ(ahead[0]->number, levels_.head()->number);
  EXPECT_EQ(levels_.Ahead(1).size(), 1U);
}

TEST_F(TracksTest, APurgeLeavesNothing) {  // PRG-1
  levels_.Add(Fresh(9, 1));
  levels_.RemoveAll();
  EXPECT_EQ(levels_.head(), nullptr);
  EXPECT_EQ(levels_.bytes(), 0U);
  EXPECT_TRUE(levels_.NextReads().empty());
}

std::uint64_t NumberIn(PartitionId partition, std::uint64_t count) {
  return FirstNumberOf(partition).value() + count - 1;
}

Span SpanOf(std::uint64_t first, std::uint64_t last, std::vector<SequenceNumber> exceptions = {}) {
  return {SequenceNumber(first), SequenceNumber(last), Timestamp(), std::move(exceptions)};
}

// Numbers of levels stand among each other.
TEST_F(TracksTest, WhatExpiredTogetherWaitsInNoTrack) {  // PRI-1
  for (std::uint64_t number = 1; number <= 20; ++number) {
    levels_.Add(Fresh(number % 2 == 0 ? 4 : 9, number));
  }

  levels_.RemoveSpan(SpanOf(3, 18, {SequenceNumber(7), SequenceNumber(8)}));

  EXPECT_EQ(levels_.messages(), 6U);
  EXPECT_EQ(levels_.bytes(), 60U);
  EXPECT_EQ(Pop(levels_, 20), Numbers({1, 7, 19, 2, 8, 20}));
}

TEST_F(TracksTest, WhatExpiresWhileItIsReadIsNotWaitedFor) {
  partitions_.Add(Back(0, 50));
  partitions_.Drop();
  ASSERT_EQ(partitions_.NextReads().size(), 1U);
  partitions_.Add(Fresh(0, 60));

  partitions_.RemoveSpan(SpanOf(55, 70));
  partitions_.TakeRead(0, SessionBatch{SequenceNumber(50), kEnd, {Fresh(0, 50)}});

  EXPECT_EQ(Pop(partitions_, 2), Numbers({50}));
}

TEST_F(TracksTest, HeadsThatExpiredTogetherAreOfOnePartition) {  // PAR-4
  const Timestamp expiry{std::chrono::hours(1)};
  for (const PartitionId partition : {PartitionId{0}, PartitionId{1}}) {
    for (std::uint64_t count = 1; count <= 3; ++count) {
      WaitingMessage message = Fresh(partition, NumberIn(partition, count));
      if (count < 3) message.facts.expires_at = expiry;
      partitions_.Add(std::move(message));
    }
  }

  const MessageRun run = partitions_.ReadyRun(expiry, MessageRun::Between::kGone);

  EXPECT_EQ(run.first, SequenceNumber(1));
  EXPECT_EQ(run.last, SequenceNumber(2));
  EXPECT_EQ(run.count, 2);
}

TEST_F(TracksTest, WhatCameBackIsInNoRun) {
  const Timestamp expiry{std::chrono::hours(1)};
  for (std::uint64_t number = 1; number <= 3; ++number) {
    WaitingMessage message = Fresh(0, number);
    message.facts.expires_at = expiry;
    if (number == 2) message.standing = Standing::kReturned;
    partitions_.Add(std::move(message));
  }

  EXPECT_EQ(partitions_.ReadyRun(expiry, MessageRun::Between::kGone).count, 1);
}

}  // namespace
}  // namespace wharf
