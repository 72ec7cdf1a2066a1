// Runs of a lane alone: what is counted out together, and what is left out of it.

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/queue/lane.h"

namespace wharf {
namespace {

constexpr Timestamp kExpiry{std::chrono::hours(1)};
constexpr LaneId kOrders{EntityId{1}, LaneKind::kMain};

class LaneRunsTest : public ::testing::Test {
 protected:
  void Load(Lane::Image image) { lane_.emplace(kOrders, std::move(image), limits_, watches_); }

  std::shared_ptr<StoredMessage> MessageOf(SequenceNumber number, Timestamp expires_at = kExpiry) {
    auto message = std::make_shared<StoredMessage>();
    message->number = number;
    message->facts.size = 10;
    message->facts.expires_at = expires_at;
    return message;
  }
  void Enqueue(int count = 1, Timestamp expires_at = kExpiry) {
    for (int i = 0; i < count; ++i) {
      lane_->Enqueue(MessageOf(lane_->TakeNumber(0), expires_at), changes_);
    }
  }
  // Of the messages at the head.
  MessagesExpired ExpireHeads() {
    const MessageRun run = lane_->ReadyRun(kExpiry);
    return Expire(run);
  }
  MessagesExpired Expire(const MessageRun& run) {
    EXPECT_TRUE(lane_->ExpireRun(run, kExpiry, changes_));
    return std::get<MessagesExpired>(changes_.back());
  }
  void LoadFull(Lane::Image image) {
    image.counters.fresh = 1000;
    image.counters.bytes = 10'000;
    image.counters.next_number = SequenceNumber(1'000'000);
    for (std::uint64_t i = 0; i < limits_.spans.spans_max; ++i) {
      const Timestamp as_of{Duration(i == 0 ? 1 : 0)};
      image.spans.push_back({SequenceNumber(i * 100 + 1), SequenceNumber(i * 100 + 50), as_of, {}});
    }
    Load(std::move(image));
  }
  static MessageRun RunOf(std::uint64_t first, std::uint64_t last) {
    MessageRun run;
    for (std::uint64_t number = first; number <= last; ++number) {
      run.Extend(SequenceNumber(number), 10, MessageRun::Between::kUnknown);
    }
    return run;
  }
  FoundMessage Found(std::uint64_t number) {
    return {Standing::kFresh, {}, MessageOf(SequenceNumber(number))};
  }
  void ExpectWhole() {
    EXPECT_TRUE(lane_->contradiction().ok()) << lane_->contradiction().message();
    lane_->AssertWhole();
  }

  LaneLimits limits_;
  Watches watches_;
  Changes changes_;
  // Made last: it goes first.
  std::optional<Lane> lane_{std::in_place, kOrders, Lane::Image(), limits_, watches_};
};

TEST_F(LaneRunsTest, HeadsThatExpiredAreOneChange) {  // TTL-6
  Enqueue(4000);
  Enqueue(1, kNever);

  const MessagesExpired expired = ExpireHeads();

  EXPECT_EQ(expired.first, SequenceNumber(1));
  EXPECT_EQ(expired.last, SequenceNumber(4000));
  EXPECT_EQ(expired.count, 4000);
  EXPECT_EQ(expired.bytes, 40000);
  EXPECT_EQ(*expired.span, (Span{SequenceNumber(1), SequenceNumber(4000), kExpiry, {}}));
  EXPECT_EQ(lane_->counters().fresh, 1);
  EXPECT_EQ(lane_->counters().bytes, 10);
  EXPECT_EQ(lane_->counters().cursor, SequenceNumber(4001));
  EXPECT_EQ(lane_->head(nullptr)->number, SequenceNumber(4001));
  ExpectWhole();
}

TEST_F(LaneRunsTest, AFewAreNoRun) {
  Enqueue(static_cast<int>(limits_.spans.run.count_min) - 1);

  EXPECT_FALSE(lane_->ExpireRun(lane_->ReadyRun(kExpiry), kExpiry, changes_));
}

// Numbers of scheduled messages, or of those that were removed by another: nothing is there.
TEST_F(LaneRunsTest, WhatWasNeverThereIsNoException) {
  Enqueue(20);
  for (int i = 0; i < 1000; ++i) lane_->TakeNumber(0);
  Enqueue(20);

  const MessagesExpired expired = ExpireHeads();

  EXPECT_EQ(expired.count, 40);
  EXPECT_TRUE(expired.span->exceptions.empty());
}

TEST_F(LaneRunsTest, WhatIsHeldByItsNumberIsAnException) {  // TTL-7, ONE-1
  Enqueue(20);
  lane_->LockFound(Found(9), LockToken(), kNever, {}, changes_);

  const MessagesExpired expired = ExpireHeads();

  EXPECT_EQ(expired.count, 19);
  EXPECT_EQ(expired.span->exceptions, std::vector{SequenceNumber(9)});
  EXPECT_EQ(lane_->counters().locked, 1);
  ExpectWhole();
}

TEST_F(LaneRunsTest, WhatIsInQuarantineIsAnException) {
  Enqueue(20);
  UnreadableMessage unreadable{.number = SequenceNumber(9), .reason = "damaged"};
  unreadable.facts.size = 10;
  lane_->Quarantine(std::move(unreadable), Timestamp(), changes_);

  const MessagesExpired expired = ExpireHeads();

  EXPECT_EQ(expired.count, 19);
  EXPECT_EQ(expired.span->exceptions, std::vector{SequenceNumber(9)});
}

// Behind what was taken everything is known again.
TEST_F(LaneRunsTest, BehindWhatWasTakenNothingIsAnException) {
  Enqueue(5, kNever);
  lane_->ConsumeFound(Found(5), changes_);
  for (int i = 0; i < 4; ++i) lane_->ConsumeHead(nullptr, changes_);
  for (int i = 0; i < 1000; ++i) lane_->TakeNumber(0);
  Enqueue(20);
  for (int i = 0; i < 1000; ++i) lane_->TakeNumber(0);
  Enqueue(20);

  EXPECT_EQ(ExpireHeads().count, 40);
}

TEST_F(LaneRunsTest, OfALaneOfAnOlderVersionGapsAreExceptions) {
  Enqueue(20);
  lane_->ConsumeFound(Found(9), changes_);
  Lane::Image image;
  image.counters = lane_->counters();
  image.counters.ForgetTaken();
  Load(std::move(image));
  lane_->NextRead(true);
  FreshBatch batch{SequenceNumber(1), SequenceNumber(21), {}};
  for (std::uint64_t number = 1; number <= 20; ++number) {
    if (number != 9) batch.messages.push_back(MessageOf(SequenceNumber(number)));
  }
  lane_->TakeRead(std::move(batch), Timestamp(), changes_);

  EXPECT_EQ(ExpireHeads().span->exceptions, std::vector{SequenceNumber(9)});
}

TEST_F(LaneRunsTest, WhatCameBackAtTheHeadGoesByItself) {
  Enqueue(20);
  lane_->LockHead(nullptr, LockToken(), kNever, {}, changes_);
  lane_->Return(LockToken(), {}, ReturnCause::kAbandoned, changes_);

  EXPECT_EQ(lane_->ReadyRun(kExpiry).count, 0);
}

// It began before they were counted out.
TEST_F(LaneRunsTest, AReadDoesNotBringThemBack) {  // TTL-6
  Lane::Image image;
  image.counters.fresh = 40;
  image.counters.bytes = 400;
  image.counters.next_number = SequenceNumber(41);
  Load(std::move(image));
  ASSERT_TRUE(lane_->NextRead(true));

  Expire(RunOf(11, 30));
  FreshBatch batch{SequenceNumber(1), SequenceNumber(41), {}};
  for (std::uint64_t number = 1; number <= 40; ++number) {
    batch.messages.push_back(MessageOf(SequenceNumber(number)));
  }
  batch.messages.erase(batch.messages.begin() + 19);
  batch.unreadable.push_back({.number = SequenceNumber(20), .reason = "damaged"});
  lane_->TakeRead(std::move(batch), Timestamp(), changes_);

  EXPECT_EQ(lane_->counters().fresh, 20);
  EXPECT_EQ(lane_->counters().quarantined, 0);
  ExpectWhole();
}

TEST_F(LaneRunsTest, APurgeForgetsThem) {  // PRG-1
  Enqueue(20);
  ExpireHeads();

  lane_->Purge(1, changes_);

  EXPECT_TRUE(lane_->spans().all().empty());
}

TEST_F(LaneRunsTest, SpansThatWereLoadedGrow) {
  Enqueue(40);
  Lane::Image image;
  image.counters = lane_->counters();
  image.counters.fresh -= 20;
  image.counters.bytes -= 200;
  image.spans = {{SequenceNumber(1), SequenceNumber(20), Timestamp(), {}}};
  Load(std::move(image));

  const MessagesExpired expired = Expire(RunOf(21, 40));

  EXPECT_EQ(*expired.span, (Span{SequenceNumber(1), SequenceNumber(40), kExpiry, {}}));
  EXPECT_EQ(lane_->counters().fresh, 0);
  ExpectWhole();
}

// Loaded with as many spans as there may be, the first of which grew last, and behind them waits
// what expires.
TEST_F(LaneRunsTest, WhereThereAreTooManySpansSomeAreGivenUp) {
  LoadFull({});

  const MessagesExpired expired = Expire(RunOf(900'001, 900'100));

  EXPECT_EQ(expired.count, 100);
  std::vector<Span> given_up;
  for (const Change& change : changes_) {
    if (const auto* each = std::get_if<SpanForgotten>(&change)) given_up.push_back(*each->span);
  }
  EXPECT_EQ(given_up.size(), limits_.spans.spans_max / 4);
  EXPECT_EQ(given_up.front().first, SequenceNumber(101));
  EXPECT_FALSE(lane_->spans().Covers(SequenceNumber(101)));
  EXPECT_TRUE(lane_->spans().Covers(SequenceNumber(1)));
  ExpectWhole();
}

TEST_F(LaneRunsTest, WhatMakesASpanLongerNeedsNoRoom) {
  LoadFull({});

  Expire(RunOf(51, 60));

  EXPECT_EQ(changes_.size(), 1U);
}

// Each message of a partition stands in `order` among none of others.
TEST_F(LaneRunsTest, APartitionGivesUpSpansWithTheirRowsInOrder) {  // PAR-4
  Lane::Image image;
  image.tracks = TrackKind::kPartitions;
  image.is_partitioned = true;
  LoadFull(std::move(image));

  Expire(RunOf(900'001, 900'100));

  EXPECT_EQ(std::get<SpanForgotten>(changes_.front()).track, std::uint8_t{0});
}

TEST_F(LaneRunsTest, WithLevelsThereAreNoMoreSpans) {  // PRI-1
  Lane::Image image;
  image.tracks = TrackKind::kLevels;
  LoadFull(std::move(image));

  EXPECT_FALSE(lane_->ExpireRun(RunOf(900'001, 900'100), kExpiry, changes_));
  EXPECT_TRUE(changes_.empty());
}

// It began before they were counted out, and the span that told so is given up.
TEST_F(LaneRunsTest, AReadDoesNotBringBackWhatIsUnderNoSpanAnyMore) {  // TTL-6
  limits_.spans.spans_max = 1;
  Lane::Image image;
  image.counters.fresh = 60;
  image.counters.bytes = 600;
  image.counters.next_number = SequenceNumber(61);
  Load(std::move(image));
  ASSERT_TRUE(lane_->NextRead(true));
  const PageWatch page = watches_.BeginPage();
  const NumberWatch asked = watches_.Begin(kOrders, {SequenceNumber(15)});
  const NumberWatch other = watches_.Begin(kOrders, {SequenceNumber(35)});

  Expire(RunOf(11, 20));
  Expire(RunOf(41, 50));
  ASSERT_FALSE(lane_->spans().Covers(SequenceNumber(15)));
  FreshBatch batch{SequenceNumber(1), SequenceNumber(61), {}};
  for (std::uint64_t number = 1; number <= 60; ++number) {
    batch.messages.push_back(MessageOf(SequenceNumber(number)));
  }
  lane_->TakeRead(std::move(batch), Timestamp(), changes_);

  EXPECT_EQ(lane_->head(nullptr), nullptr);
  EXPECT_TRUE(page.Saw(kOrders, SequenceNumber(15)));
  EXPECT_FALSE(page.Saw(kOrders, SequenceNumber(35)));
  EXPECT_TRUE(asked.saw_any());
  EXPECT_FALSE(other.saw_any());
  EXPECT_TRUE(lane_->NextRead(true));
  ExpectWhole();
}

// As under a trickle.
TEST_F(LaneRunsTest, AFewThatLieAtASpanMakeItLonger) {
  Enqueue(24);
  Expire(RunOf(1, 20));

  EXPECT_EQ(*Expire(RunOf(22, 22)).span,
            (Span{SequenceNumber(1), SequenceNumber(22), kExpiry, {SequenceNumber(21)}}));
  EXPECT_EQ(lane_->counters().fresh, 3);
  EXPECT_FALSE(lane_->ExpireRun(MessageRun(), kExpiry, changes_));
}

TEST_F(LaneRunsTest, ALockUnderASpanIsAContradiction) {
  Lane::Image image;
  image.counters.next_number = SequenceNumber(31);
  image.spans = {{SequenceNumber(1), SequenceNumber(20), Timestamp(), {SequenceNumber(6)}}};
  image.counters.locked = 1;
  Lock lock{};
  for (const std::uint64_t number : {5, 6}) {
    lock.number = SequenceNumber(number);
    Lane::Image locked = image;
    locked.locked.push_back({LockToken(), lock});
    Load(std::move(locked));
    EXPECT_EQ(lane_->contradiction().ok(), number == 6);
  }
}

// Rows said that it is there.
TEST_F(LaneRunsTest, WhatIsFoundUnderASpanIsAContradiction) {
  Enqueue(20);
  ExpireHeads();
  Enqueue(1);

  lane_->Remove(Found(5), RemovalCause::kDeleted, changes_);

  EXPECT_FALSE(lane_->contradiction().ok());
}

TEST_F(LaneRunsTest, MoreThanAreCountedAreAContradiction) {
  Lane::Image image;
  image.counters.fresh = 10;
  image.counters.bytes = 100;
  image.counters.next_number = SequenceNumber(41);
  Load(image);

  Expire(RunOf(1, 40));

  EXPECT_FALSE(lane_->contradiction().ok());
  EXPECT_EQ(lane_->counters().fresh, 0);
}

TEST_F(LaneRunsTest, WhereCountersAreUncertainThereAreNone) {
  Lane::Image image;
  image.counters.is_uncertain = true;
  image.counters.fresh = 40;
  Load(image);

  EXPECT_FALSE(lane_->CanExpireRuns());
}

TEST_F(LaneRunsTest, InSessionsThereAreNone) {  // TTS-1
  Lane::Image image;
  image.has_sessions = true;
  Load(image);

  EXPECT_FALSE(lane_->CanExpireRuns());
}

}  // namespace
}  // namespace wharf
