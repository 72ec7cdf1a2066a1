// A single receive: it waits for the first messages, and answers with what is there then.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

using Received = std::vector<Delivered>;

class ReceiveOnceTest : public ReceiverFixture {
 protected:
  Broker::Cancel Ask(Pending<Received>& pending, Duration wait, std::uint64_t messages_max = 10,
                     ReceiveMode mode = ReceiveMode::kPeekLock,
                     const std::string& path = "orders") {
    auto cancel = broker().ReceiveOnce({path, mode, messages_max, std::uint64_t{1} << 20, wait},
                                       pending.answer());
    engine_.Run();
    return cancel;
  }

  static std::vector<std::uint64_t> NumbersOf(const Pending<Received>& pending) {
    std::vector<std::uint64_t> numbers;
    if (!pending.result || !pending.result->ok()) return numbers;
    for (const Delivered& each : **pending.result) numbers.push_back(each.message->number.value());
    return numbers;
  }
};

TEST_F(ReceiveOnceTest, AnEmptyQueueAnswersWithNothing) {  // STA-5
  Pending<Received> pending;
  Ask(pending, Duration(0));

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_THAT(**pending.result, IsEmpty());
}

TEST_F(ReceiveOnceTest, ItWakesWhenAMessageIsSent) {  // STA-5
  Pending<Received> pending;
  Ask(pending, seconds(20));
  EXPECT_FALSE(pending.result);

  Send();

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_THAT(**pending.result, SizeIs(1));
}

TEST_F(ReceiveOnceTest, SendingAndLockingAreOneTurnAndOneCommit) {
  Pending<Received> pending;
  Ask(pending, seconds(20));
  const std::size_t before = turns_.turns.size();

  Send();

  ASSERT_EQ(turns_.turns.size(), before + 1);
  EXPECT_EQ(TurnRecorder::CountIn<MessageEnqueued>(turns_.turns.back()), 1U);
  EXPECT_EQ(TurnRecorder::CountIn<MessageLocked>(turns_.turns.back()), 1U);
}

TEST_F(ReceiveOnceTest, ItDoesNotWaitForMoreThanTheFirst) {  // STA-5
  Pending<Received> pending;
  Ask(pending, seconds(20), 10);

  Send(3);

  ASSERT_TRUE(pending.result);
  EXPECT_THAT(**pending.result, SizeIs(3));
}

TEST_F(ReceiveOnceTest, ItGetsNoMoreThanItAskedFor) {
  Send(5);
  Pending<Received> pending;

  Ask(pending, seconds(20), 2);

  EXPECT_THAT(**pending.result, SizeIs(2));
}

TEST_F(ReceiveOnceTest, ItGetsAllItAskedForAtOnce) {
  Send(1000);
  Pending<Received> pending;

  Ask(pending, seconds(20), 1000);

  EXPECT_THAT(**pending.result, SizeIs(1000));
}

TEST_F(ReceiveOnceTest, ItEndsWhenItsTimeIsOver) {  // STA-5
  Pending<Received> pending;
  Ask(pending, seconds(20));

  engine_.Advance(seconds(20) - milliseconds(1));
  EXPECT_FALSE(pending.result);
  engine_.Advance(milliseconds(1));

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_THAT(**pending.result, IsEmpty());

  // And then it takes nothing any more.
  Send();
  EXPECT_THAT(*engine_.Receive("orders"), SizeIs(1));
}

TEST_F(ReceiveOnceTest, ItDoesNotEndOnWhatMustOnlyBeRead) {  // STA-5
  Send(3);
  engine_.Restart();
  Pending<Received> pending;

  Ask(pending, Duration(0));

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_THAT(**pending.result, SizeIs(3));
}

TEST_F(ReceiveOnceTest, ItHasAllThatIsThereAlsoAfterARestart) {  // STA-5
  for (int i = 0; i < 6; ++i) Send();
  const LockToken first = (*engine_.Receive("orders", 2))[0].token;
  engine_.Restart();
  ASSERT_TRUE(engine_.Release("orders", first).ok());
  Pending<Received> pending;

  Ask(pending, Duration(0));

  EXPECT_THAT(NumbersOf(pending), ElementsAre(1, 3, 4, 5, 6));
}

TEST_F(ReceiveOnceTest, ALockThatEndsAfterARestartIsTheBeginningOfTheAnswer) {  // STA-5
  for (int i = 0; i < 6; ++i) Send();
  ASSERT_THAT(*engine_.Receive("orders", 2), SizeIs(2));
  engine_.Restart();
  Pending<Received> pending;
  Ask(pending, minutes(1), 2);
  ASSERT_THAT(NumbersOf(pending), ElementsAre(3, 4));
  Pending<Received> later;

  engine_.Advance(seconds(30));
  Ask(later, minutes(1));

  EXPECT_THAT(NumbersOf(later), IsSupersetOf({1, 2, 5, 6}));
}

// What only has to be read comes to the calls behind it, none of which ends with nothing.
TEST_F(ReceiveOnceTest, TakingForGoodEndsWithWhatIsAtHand) {  // STA-5, RCV-1
  for (int i = 0; i < 6; ++i) Send();
  const LockToken first = (*engine_.Receive("orders", 2))[0].token;
  engine_.Restart();
  ASSERT_TRUE(engine_.Abandon("orders", first).ok());
  const auto take = [this] {
    Pending<Received> pending;
    Ask(pending, Duration(0), 10, ReceiveMode::kReceiveAndDelete);
    return NumbersOf(pending);
  };

  EXPECT_THAT(take(), ElementsAre(1));
  EXPECT_THAT(take(), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ReceiveOnceTest, APartitionedQueueGivesAllThatCameBack) {  // STA-5
  ASSERT_TRUE(engine_.CreateQueue({.name = "parts", .enable_partitioning = true}).ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(engine_.Send("parts", {TenBytes()}).ok());
  for (int round = 0; round < 3; ++round) {
    Pending<Received> pending;
    Ask(pending, Duration(0), 100, ReceiveMode::kPeekLock, "parts");
    ASSERT_THAT(**pending.result, SizeIs(100)) << round;
    for (const Delivered& delivered : **pending.result) {
      ASSERT_TRUE(engine_.Abandon("parts", delivered.token).ok());
    }
  }
}

TEST_F(ReceiveOnceTest, ItGetsAsManyAsMayBeAskedFor) {  // STA-5
  Send(4500);
  Pending<Received> pending;

  Ask(pending, Duration(0), 4500);

  EXPECT_THAT(**pending.result, SizeIs(4500));
}

TEST_F(ReceiveOnceTest, TakingForGoodKeepsToTheBytesOfAnAnswerToo) {
  Message half;
  half.body = std::string(600 * 1024, 'x');
  ASSERT_TRUE(engine_.Send("orders", {half, half}).ok());
  Pending<Received> pending;

  Ask(pending, Duration(0), 10, ReceiveMode::kReceiveAndDelete);

  EXPECT_THAT(**pending.result, SizeIs(1));
}

TEST_F(ReceiveOnceTest, CancelledItEndsWithNothing) {
  Pending<Received> pending;
  const Broker::Cancel cancel = Ask(pending, seconds(20));

  cancel();
  engine_.Run();

  ASSERT_TRUE(pending.result && pending.result->ok());
  EXPECT_THAT(**pending.result, IsEmpty());
  Send();
  EXPECT_THAT(*engine_.Receive("orders"), SizeIs(1));
}

TEST_F(ReceiveOnceTest, CancelledTooLateItHasItsMessages) {
  Pending<Received> pending;
  const Broker::Cancel cancel = Ask(pending, seconds(20));
  Send();

  cancel();
  engine_.Run();

  EXPECT_THAT(**pending.result, SizeIs(1));
}

// Ten times as many calls wait as end in a turn.
class ManyReceiveCallsTest : public ReceiveOnceTest {
 protected:
  static constexpr std::size_t kCalls = 10 * Turn::kEndingsMax;

  ManyReceiveCallsTest() {
    for (std::size_t i = 0; i < kCalls; ++i) {
      cancels_.push_back(broker().ReceiveOnce(
          {"orders", ReceiveMode::kPeekLock, 1, std::uint64_t{1} << 20, seconds(20)},
          [this](const Result<Received>& received) {
            EXPECT_TRUE(received.ok() && received->empty());
            ++heard_;
          }));
    }
    engine_.Run();
  }

  std::vector<Broker::Cancel> cancels_;
  std::size_t heard_ = 0;
};

TEST_F(ManyReceiveCallsTest, WhoseWaitIsOverHearInSeveralTurns) {  // STA-5
  engine_.clock().Advance(seconds(20));

  EXPECT_EQ(MostHeardAtOnce(heard_), Turn::kEndingsMax);
  EXPECT_EQ(heard_, kCalls);
}

TEST_F(ManyReceiveCallsTest, ThatAreCancelledTogetherHearInSeveralTurns) {
  for (const Broker::Cancel& cancel : cancels_) cancel();

  EXPECT_EQ(MostHeardAtOnce(heard_), Turn::kEndingsMax);
  EXPECT_EQ(heard_, kCalls);
}

TEST_F(ReceiveOnceTest, ALockThatEndsWakesItToo) {  // LCK-6
  Send();
  ASSERT_THAT(*engine_.Receive("orders"), SizeIs(1));
  Pending<Received> pending;
  Ask(pending, minutes(5));

  engine_.Advance(seconds(30));

  ASSERT_TRUE(pending.result);
  EXPECT_EQ((**pending.result)[0].delivery.count, 1U);
}

TEST_F(ReceiveOnceTest, ADisabledQueueRefusesItAndEndsItsWait) {  // STS-2, STS-8
  Pending<Received> waiting;
  Ask(waiting, seconds(20));
  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .status = EntityStatus::kDisabled}).ok());
  ASSERT_TRUE(waiting.result);
  EXPECT_EQ(waiting.result->status().code(), ErrorCode::kMessagingEntityDisabled);

  Pending<Received> late;
  Ask(late, seconds(20));
  EXPECT_EQ(late.result->status().code(), ErrorCode::kMessagingEntityDisabled);
}

TEST_F(ReceiveOnceTest, WhatItAsksForHasARange) {  // ERR-16
  for (const std::uint64_t count : {0, 4501}) {
    Pending<Received> pending;
    Ask(pending, seconds(1), count);
    EXPECT_EQ(pending.result->status().code(), ErrorCode::kArgumentOutOfRange) << count;
  }
  for (const Duration wait : {Duration(-1), Duration(minutes(5)) + Duration(1)}) {
    Pending<Received> pending;
    Ask(pending, wait);
    EXPECT_EQ(pending.result->status().code(), ErrorCode::kArgumentOutOfRange);
  }
}

}  // namespace
}  // namespace wharf
