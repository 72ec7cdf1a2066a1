// A single receive: it waits for the first messages, and answers with what is there then.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Received = std::vector<Delivered>;

class ReceiveOnceTest : public ReceiverFixture {
 protected:
  Broker::Cancel Ask(Pending<Received>& pending, Duration wait, std::uint64_t messages_max = 10) {
    auto cancel = broker().ReceiveOnce(
        {"orders", ReceiveMode::kPeekLock, messages_max, std::uint64_t{1} << 20, wait},
        pending.answer());
    engine_.Run();
    return cancel;
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
