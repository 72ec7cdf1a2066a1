// What of a shared hint has expired comes as sums, and message by message whatever may not.

#include "broker/reading/run_walk.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Timestamp kCame{seconds(1000)};
constexpr Timestamp kNow{seconds(2000)};
constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
constexpr LaneId kNeighbour{EntityId(2), LaneKind::kMain};
constexpr std::int64_t kSize = 10;

class RunWalkTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  static StoredMessage Brief() {
    StoredMessage message;
    message.enqueued_at = kCame;
    message.facts.size = kSize;
    message.facts.expires_at = kNow - seconds(1);
    message.facts.shares_hint = true;
    message.message.body = "0123456789";
    return message;
  }
  void PutMessage(std::uint64_t number, const StoredMessage& message, const LaneId& lane = kLane) {
    Put(Table::kMessages, MessageKey(lane, SequenceNumber(number)), EncodeMessage(message));
  }
  void PutBrief(std::uint64_t first, std::uint64_t last, const LaneId& lane = kLane) {
    for (std::uint64_t number = first; number <= last; ++number) PutMessage(number, Brief(), lane);
  }
  void PutReturned(std::uint64_t number) {
    Put(Table::kDelivery, DeliveryKey(kLane, Standing::kReturned, SequenceNumber(number)),
        EncodeReturned({3, {}}, {}));
  }

  static SharedHint Hint(std::uint64_t first, std::uint64_t end) {
    return {{kNow - seconds(1), DueKind::kExpireShared, kLane, SequenceNumber(first)},
            SequenceNumber(end),
            kCame + seconds(1),
            kNow + seconds(10)};
  }
  static DueBounds Bounds() { return {.messages = 1000, .bytes = 1 << 20, .grain = seconds(1)}; }
  Result<ExpiredMessages> TryWalk(const DueBounds& bounds = Bounds()) {
    const SpanView view(store_.View());
    return RunWalk(view, Hint(1, 1000), kNow, bounds, {}).Run();
  }
  ExpiredMessages Walk(const DueBounds& bounds = Bounds()) {
    Result<ExpiredMessages> read = TryWalk(bounds);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    return read.ok() ? *std::move(read) : ExpiredMessages();
  }
  static std::vector<std::uint64_t> Alone(const ExpiredMessages& read) {
    std::vector<std::uint64_t> numbers;
    for (const FoundMessage& found : read.messages) {
      numbers.push_back(found.message->number.value());
    }
    return numbers;
  }

  MemoryStore store_{BrokerTables()};
};

TEST_F(RunWalkTest, WhatExpiredBehindEachOtherIsOneSum) {  // TTL-6
  PutBrief(1, 500);
  PutBrief(1, 900, kNeighbour);

  const ExpiredMessages read = Walk();

  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].first, SequenceNumber(1));
  EXPECT_EQ(read.runs[0].last, SequenceNumber(500));
  EXPECT_EQ(read.runs[0].count, 500);
  EXPECT_EQ(read.runs[0].bytes, 500 * kSize);
  EXPECT_THAT(read.runs[0].exceptions, IsEmpty());
  // However many they are, none of them is brought.
  EXPECT_THAT(Alone(read), IsEmpty());
  EXPECT_EQ(read.rest, std::nullopt);
  EXPECT_EQ(read.walked.rows, 500U);
}

TEST_F(RunWalkTest, WhateverWasDeliveredComesAsItIs) {  // TTL-7, TTL-14
  PutBrief(1, 60);
  PutReturned(20);
  Put(Table::kDelivery, DeliveryKey(kLane, Standing::kDeferred, SequenceNumber(30)),
      EncodeReturned({1, {}}, {}));
  Put(Table::kDelivery, DeliveryKey(kLane, Standing::kLocked, SequenceNumber(40)),
      EncodeLocked({LockToken{1, 2}, Lock{SequenceNumber(40), kNow + seconds(60), {}, {}}}));

  const ExpiredMessages read = Walk();

  ASSERT_THAT(Alone(read), ElementsAre(20, 30, 40));
  EXPECT_EQ(read.messages[0].standing, Standing::kReturned);
  EXPECT_EQ(read.messages[0].delivery.count, 3);
  EXPECT_EQ(read.messages[1].standing, Standing::kDeferred);
  EXPECT_EQ(read.messages[2].standing, Standing::kLocked);
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].count, 57);
  EXPECT_THAT(read.runs[0].exceptions,
              ElementsAre(SequenceNumber(20), SequenceNumber(30), SequenceNumber(40)));
}

TEST_F(RunWalkTest, ABodyOfItsOwnAndASessionAreInNoRun) {  // TTS-1
  PutBrief(1, 40);
  StoredMessage separate = Brief();
  separate.facts.size = 5000;
  separate.facts.body_ref = BodyRef{kLane.entity, SequenceNumber(15), 5000};
  PutMessage(15, separate);
  StoredMessage in_session = Brief();
  in_session.message.session_id = in_session.facts.session_id = "a";
  PutMessage(16, in_session);

  const ExpiredMessages read = Walk();

  EXPECT_THAT(Alone(read), ElementsAre(15, 16));
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].bytes, 38 * kSize);
}

TEST_F(RunWalkTest, AFewComeAsTheyAre) {
  PutBrief(1, 7);
  PutBrief(100, 107);

  const ExpiredMessages read = Walk();

  EXPECT_THAT(Alone(read), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].first, SequenceNumber(100));
}

// They have other hints, or none; what is sent between does not end the run.
TEST_F(RunWalkTest, WhatTheHintDoesNotMeanIsLeft) {  // TTL-1
  PutBrief(1, 40);
  StoredMessage own = Brief();
  own.facts.shares_hint = false;
  PutMessage(5, own);
  StoredMessage longer = Brief();
  longer.facts.expires_at = kNow + seconds(3600);
  PutMessage(6, longer);

  const ExpiredMessages read = Walk();

  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].count, 38);
  EXPECT_THAT(read.runs[0].exceptions, ElementsAre(SequenceNumber(5), SequenceNumber(6)));
  EXPECT_EQ(read.rest, std::nullopt);
}

TEST_F(RunWalkTest, WhatLivesOnKeepsTheHint) {  // TTL-6
  PutBrief(1, 20);
  StoredMessage later = Brief();
  later.facts.expires_at = kNow + seconds(5);
  PutMessage(21, later);
  PutBrief(22, 40);

  const ExpiredMessages read = Walk();

  EXPECT_EQ(read.runs.at(0).last, SequenceNumber(20));
  ASSERT_TRUE(read.rest);
  EXPECT_EQ(read.rest->hint.number, SequenceNumber(21));
  EXPECT_EQ(read.rest->hint.time, kNow + seconds(5));
}

TEST_F(RunWalkTest, WhatCameLaterEndsTheWalk) {
  PutBrief(1, 20);
  StoredMessage later = Brief();
  later.enqueued_at = kCame + seconds(2);
  PutMessage(21, later);
  PutBrief(22, 40);

  const ExpiredMessages read = Walk();

  EXPECT_EQ(read.runs.at(0).last, SequenceNumber(20));
  EXPECT_EQ(read.rest, std::nullopt);
}

TEST_F(RunWalkTest, WhatWasCountedOutIsNotThere) {  // TTL-6
  PutBrief(1, 40);
  const Span span{SequenceNumber(1), SequenceNumber(30), kNow, {SequenceNumber(9)}};
  Put(Table::kSpans, MessageKey(kLane, span.first), EncodeSpan(span));

  const ExpiredMessages read = Walk();

  EXPECT_THAT(Alone(read), ElementsAre(9));
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs[0].first, SequenceNumber(31));
}

TEST_F(RunWalkTest, WhatThereIsNoRoomForIsLeft) {
  PutBrief(1, 100);
  DueBounds bounds = Bounds();
  bounds.walked.rows = 30;

  const ExpiredMessages read = Walk(bounds);

  EXPECT_EQ(read.runs.at(0).last, SequenceNumber(30));
  ASSERT_TRUE(read.rest);
  EXPECT_EQ(read.rest->hint.number, SequenceNumber(31));
  EXPECT_EQ(read.rest->hint.time, kNow - seconds(1));
}

TEST_F(RunWalkTest, BytesThatAreReadAreBoundedToo) {
  PutBrief(1, 100);
  DueBounds bounds = Bounds();
  bounds.walked.bytes = 20 * EncodeMessage(Brief()).size();

  const ExpiredMessages read = Walk(bounds);

  EXPECT_EQ(read.rest->hint.number, SequenceNumber(21));
}

// Each of them costs the shard some work.
TEST_F(RunWalkTest, RunsAndWhatIsInNoneAreBounded) {
  for (std::uint64_t first = 1; first < 1000; first += 20) PutBrief(first, first + 9);
  DueBounds few_runs = Bounds();
  few_runs.runs = 3;
  EXPECT_EQ(Walk(few_runs).runs.size(), 3U);

  for (std::uint64_t number = 1; number < 1000; number += 20) PutReturned(number);
  DueBounds few_messages = Bounds();
  few_messages.messages = 20;
  const ExpiredMessages read = Walk(few_messages);
  EXPECT_LE(read.messages.size(), 20U);
  EXPECT_TRUE(read.rest);
}

// Whatever the bounds, it goes on.
TEST_F(RunWalkTest, OneIsLookedAtAtLeast) {
  PutBrief(1, 10);
  DueBounds none = Bounds();
  none.messages = none.bytes = none.walked.rows = none.walked.bytes = none.runs = 0;

  const ExpiredMessages read = Walk(none);

  EXPECT_THAT(Alone(read), ElementsAre(1));
  EXPECT_EQ(read.rest->hint.number, SequenceNumber(2));
}

TEST_F(RunWalkTest, DamageIsTold) {
  PutBrief(1, 40);
  Put(Table::kMessages, MessageKey(kLane, SequenceNumber(20)), "\xff");
  EXPECT_TRUE(TryWalk().status().is_damage());

  PutMessage(20, Brief());
  Put(Table::kDelivery, DeliveryKey(kLane, Standing::kLocked, SequenceNumber(20)), "\xff");
  EXPECT_TRUE(TryWalk().status().is_damage());
}

TEST_F(RunWalkTest, ASpanThatCannotBeReadIsTold) {
  PutBrief(1, 40);
  Put(Table::kSpans, MessageKey(kLane, SequenceNumber(1)), "?");

  EXPECT_FALSE(TryWalk().ok());
}

}  // namespace
}  // namespace wharf
