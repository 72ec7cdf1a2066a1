// A clock that is advanced: the answer comes when everything that became due is done and durable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/requests/clock_control.h"
#include "broker/schema/loader.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AwaitDueTest : public ReceiverFixture {
 protected:
  Result<Timestamp> Advance(Duration by) {
    return engine_.Await<Timestamp>(
        [&](Answer<Timestamp> answer) { control_.Advance(by, {}, std::move(answer)); });
  }

  // Looks at the queue when the answer comes, without giving the broker time for anything more.
  LaneCounters CountersWhenAdvanced(Duration by, LaneKind kind) {
    std::optional<LaneCounters> counters;
    control_.Advance(by, {}, [&](const Result<Timestamp>& time) {
      EXPECT_TRUE(time.ok());
      const Queue* queue = engine_.shard().workers().finder.Resolve("orders")->queue;
      counters = queue->lane(kind).counters();
    });
    engine_.Run();
    return counters.value();
  }

  ClockControl control_{broker().requests(), &engine_.clock()};
};

TEST_F(AwaitDueTest, AnswersAtOnceIfNothingIsDue) {
  EXPECT_EQ(*Advance(hours(1)), kHarnessStart + hours(1));
  EXPECT_EQ(*Advance(Duration(0)), kHarnessStart + hours(1));
  EXPECT_EQ(*control_.Now(Caller()), kHarnessStart + hours(1));
}

TEST_F(AwaitDueTest, AnswersWhenAllLocksHaveExpiredHoweverManyTurnsThatTakes) {  // LCK-6
  Send(3000);
  ASSERT_THAT(*engine_.Receive("orders", 3000), SizeIs(3000));

  const LaneCounters counters = CountersWhenAdvanced(seconds(30), LaneKind::kMain);

  EXPECT_EQ(counters.locked, 0);
}

TEST_F(AwaitDueTest, AnswersWhenExpiredMessagesRestInTheDeadLetterQueue) {  // MAX-2
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .lock_duration = seconds(30), .max_delivery_count = 1})
          .ok());
  Send(3000);
  ASSERT_THAT(*engine_.Receive("orders", 3000), SizeIs(3000));

  const LaneCounters counters = CountersWhenAdvanced(seconds(30), LaneKind::kDeadLetter);

  EXPECT_EQ(counters.messages(), 3000);
}

TEST_F(AwaitDueTest, AnswersAfterAWaitThatEnded) {  // STA-5
  Pending<std::vector<Delivered>> received;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, seconds(10)}, received.answer());
  engine_.Run();
  ASSERT_FALSE(received.result);

  bool had_ended = false;
  control_.Advance(seconds(10), {},
                   [&](const Result<Timestamp>&) { had_ended = received.result.has_value(); });
  engine_.Run();

  EXPECT_TRUE(had_ended);
  EXPECT_THAT(**received.result, IsEmpty());
}

TEST_F(AwaitDueTest, AnswersAfterTheCommit) {
  Send();
  ASSERT_THAT(*engine_.Receive("orders"), SizeIs(1));
  engine_.memory_log().Hold();
  Pending<Timestamp> advanced;
  control_.Advance(seconds(30), {}, advanced.answer());
  engine_.Run();
  EXPECT_FALSE(advanced.result);

  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_TRUE(advanced.result && advanced.result->ok());
}

TEST_F(AwaitDueTest, TheTimeItselfIsDurable) {
  const Timestamp advanced = *Advance(hours(24));

  EXPECT_EQ(LoadFolderState(engine_.store(), "folder")->last_committed, advanced);
}

TEST_F(AwaitDueTest, AClosedBrokerSaysSo) {
  Send();
  ASSERT_THAT(*engine_.Receive("orders"), SizeIs(1));
  engine_.memory_log().Close({ErrorCode::kServiceCommunicationProblem, "the disk is gone"});
  engine_.Run();

  EXPECT_EQ(Advance(seconds(30)).status().code(), ErrorCode::kServiceCommunicationProblem);
}

TEST_F(AwaitDueTest, ASpanThatIsNegativeOrAbsurdIsRefused) {
  for (const Duration by : {Duration(-1), Duration(hours(24)) * 365 * 100 + Duration(1)}) {
    EXPECT_EQ(Advance(by).status().code(), ErrorCode::kArgumentOutOfRange);
  }
  EXPECT_EQ(engine_.clock().Now(), kHarnessStart);
}

TEST_F(AwaitDueTest, TheClockEndsWithTheYear9999) {
  const Duration century = Duration(hours(24)) * 365 * 100;
  Result<Timestamp> last = Advance(century);
  int centuries = 1;
  for (; last.ok() && centuries < 100; ++centuries) last = Advance(century);

  EXPECT_EQ(centuries, 80);
  EXPECT_THAT(last.status().message(), HasSubstr("beyond the year 9999"));
}

TEST_F(AwaitDueTest, AClockThatRunsByItselfIsNotMoved) {
  ClockControl control(broker().requests(), nullptr);
  Pending<Timestamp> advanced;
  control.Advance(seconds(1), {}, advanced.answer());

  EXPECT_EQ(advanced.result->status().code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(control.Now(Caller()).status().code(), ErrorCode::kInvalidOperation);
}

// Its counters would not be in the commit, and the store would know less than memory.
TEST(AwaitDueDeathTest, WhatIsChangedBehindTheCountersEndsTheProcess) {
  EngineHarness engine;
  engine.shard().agenda().AwaitDue([](Turn& turn) {
    turn.changes.push_back(DueHandled{Bucket(), turn.now});
  });
  EXPECT_DEATH(engine.Run(), "IsCounted");
}

}  // namespace
}  // namespace wharf
