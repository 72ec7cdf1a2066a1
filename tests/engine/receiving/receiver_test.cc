// The verbs of a receiver: grant, revoke, drain, stop, detach.

#include "broker/engine/delivery/receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReceiverTest : public ReceiverFixture {};

TEST_F(ReceiverTest, WithoutCreditNothingComes) {
  const TestReceiver receiver = Attach();

  Send(3);

  EXPECT_THAT(receiver.events(), IsEmpty());
}

TEST_F(ReceiverTest, CreditIsAPromiseAndALimit) {
  const TestReceiver receiver = AttachWith(2);

  Send(4);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));

  Grant(receiver, 1);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, CreditAddsUp) {
  const TestReceiver receiver = AttachWith(1);
  Grant(receiver, 2);

  Send(4);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, CreditWithoutAnEndStaysWithoutAnEnd) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const TestReceiver receiver = AttachWith(kMost, kMost);
  Grant(receiver, 1, 1);

  Send(2);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));
}

TEST_F(ReceiverTest, CreditInBytesHoldsBackWhatDoesNotFit) {
  const TestReceiver receiver = AttachWith(10, 25);

  Send(4);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));

  Grant(receiver, 0, 5);  // 5 were left.
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, AMessageLargerThanItsCreditComesWhenNothingIsOutstanding) {
  const TestReceiver receiver = AttachWith(10, 25);
  Send(4);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));

  // Five bytes are left: enough for any message, as soon as the others are settled.
  ASSERT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));
  ASSERT_TRUE(engine_.Complete("orders", receiver.token(1)).ok());
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));

  // Now none is left, settled or not.
  ASSERT_TRUE(engine_.Complete("orders", receiver.token(2)).ok());
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, ALockThatEndsIsNoLongerOutstanding) {
  const TestReceiver receiver = AttachWith(10, 15);
  Send(2);
  EXPECT_THAT(receiver.events(), ElementsAre("1"));

  engine_.Advance(seconds(30));

  EXPECT_THAT(receiver.events(), ElementsAre("1", "1"));
}

TEST_F(ReceiverTest, WhatAPurgeTookIsNoLongerOutstanding) {  // PRG-1
  const TestReceiver receiver = AttachWith(10, 25);
  Send(2);
  ASSERT_EQ(*engine_.Purge("orders"), 2);

  Send();

  // Five bytes are left: enough for any message when nothing is outstanding.
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, ReceiveAndDeleteHasNothingOutstanding) {
  const TestReceiver receiver = Attach(ReceiveMode::kReceiveAndDelete);
  Grant(receiver, 10, 15);

  Send(3);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));
}

TEST_F(ReceiverTest, CreditWithoutBytesIsNotLimitedByThem) {
  const TestReceiver receiver = AttachWith(1, 1);
  Grant(receiver, 5);

  Send(6);

  EXPECT_EQ(receiver.events().size(), 6U);
}

TEST_F(ReceiverTest, RevokingTakesCreditBack) {
  const TestReceiver receiver = AttachWith(5);

  broker().Revoke(receiver.id, {3, std::nullopt});
  Send(5);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));

  // More than there is leaves none, not less.
  broker().Revoke(receiver.id, {100, std::nullopt});
  Grant(receiver, 1);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
}

TEST_F(ReceiverTest, DrainingSendsWhatIsThereAndReportsTheRest) {
  Send(2);
  const TestReceiver receiver = Attach();
  broker().Grant(receiver.id, {5, std::uint64_t{1000}});
  Drain(receiver);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "drained 3"));
  EXPECT_EQ(receiver.sink->drained.bytes, 980U);

  // The credit is gone.
  Send();
  EXPECT_EQ(receiver.events().size(), 3U);
}

TEST_F(ReceiverTest, DrainingWithoutCreditAnswersToo) {
  Send();
  const TestReceiver receiver = Attach();

  Drain(receiver);
  Drain(receiver);

  EXPECT_THAT(receiver.events(), ElementsAre("drained 0", "drained 0"));
}

TEST_F(ReceiverTest, DrainingAnEmptyQueueAnswersAtOnce) {
  const TestReceiver receiver = AttachWith(7);

  Drain(receiver);

  EXPECT_THAT(receiver.events(), ElementsAre("drained 7"));
}

TEST_F(ReceiverTest, DrainingWaitsForWhatMustBeRead) {
  Send(3);
  engine_.Restart();  // Nothing is in memory now.
  const TestReceiver receiver = Attach();
  broker().Grant(receiver.id, {10, std::nullopt});

  Drain(receiver);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3", "drained 7"));
}

TEST_F(ReceiverTest, DrainingDoesNotWaitForWhatDoesNotFit) {
  Send(2);
  const TestReceiver receiver = AttachWith(5, 15);

  Drain(receiver);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "drained 4"));
}

TEST_F(ReceiverTest, TheAnswerToADrainIsBehindDeliveriesStillOnTheirWay) {
  const TestReceiver receiver = AttachWith(5);
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent;
  broker().Send("orders", {TenBytes()}, false, sent.answer());
  engine_.Run();

  Drain(receiver);
  EXPECT_THAT(receiver.events(), IsEmpty());
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_THAT(receiver.events(), ElementsAre("1", "drained 4"));
}

TEST_F(ReceiverTest, StoppedItGetsNothingMoreAndMaySettle) {
  const TestReceiver receiver = AttachWith(5);
  Send();

  broker().Stop(receiver.id);
  engine_.Run();
  Send();
  Grant(receiver, 5);

  EXPECT_THAT(receiver.events(), ElementsAre("1", "stopped"));
  EXPECT_TRUE(engine_.RenewLock("orders", receiver.token(0)).ok());
  EXPECT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());
}

TEST_F(ReceiverTest, DetachedItHearsNothingMore) {
  const TestReceiver receiver = AttachWith(5);

  broker().Detach(receiver.id);
  Send();

  EXPECT_THAT(receiver.events(), IsEmpty());
  EXPECT_EQ((*engine_.Receive("orders")).size(), 1U);
}

TEST_F(ReceiverTest, WhatItHeldStaysLockedWhenItLeaves) {  // LCK-9, CNT-5
  const TestReceiver receiver = AttachWith(1);
  Send();

  broker().Detach(receiver.id);
  engine_.Run();
  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());

  // Only the end of the lock counts.
  engine_.Advance(seconds(30));
  const auto again = *engine_.Receive("orders");
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].delivery.count, 1U);
}

TEST_F(ReceiverTest, TheVerbsOfOneThatLeftDoNothing) {
  const TestReceiver receiver = AttachWith(1);
  broker().Detach(receiver.id);

  broker().Grant(receiver.id, {1, std::nullopt});
  broker().Revoke(receiver.id, {1, std::nullopt});
  broker().Drain(receiver.id);
  broker().Stop(receiver.id);
  broker().NoteWritten(receiver.id, 1, 1);
  broker().Detach(receiver.id);
  Send();

  EXPECT_THAT(receiver.events(), IsEmpty());
}

TEST_F(ReceiverTest, AClientThatDoesNotReadFillsNoMemory) {
  const TestReceiver receiver = AttachWith(5000);
  Send(3000);
  const std::size_t unread = receiver.events().size();
  EXPECT_LE(unread, 1024U + 128U);

  broker().NoteWritten(receiver.id, unread, static_cast<std::int64_t>(unread) * 10);
  engine_.Run();

  EXPECT_GT(receiver.events().size(), unread);
}

TEST_F(ReceiverTest, ItIsToldHowLongLocksLast) {  // LCK-2
  auto sink = std::make_shared<RecordingSink>();
  const auto attached = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
    broker().Attach({"orders", ReceiveMode::kPeekLock}, sink, std::move(answer));
  });

  EXPECT_EQ(attached->lock_duration, seconds(30));
}

TEST_F(ReceiverTest, ItReceivesFromADeadLetterQueueToo) {  // DLQ-5
  const TestReceiver dead = Attach(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue");
  Grant(dead, 1);
  Send();
  ASSERT_TRUE(engine_.DeadLetter("orders", (*engine_.Receive("orders"))[0].token).ok());

  EXPECT_THAT(dead.events(), ElementsAre("1"));
  EXPECT_TRUE(engine_.Complete("orders/$DeadLetterQueue", dead.token(0)).ok());
}

TEST_F(ReceiverTest, AStatusThatForbidsReceivingEndsIt) {  // STS-8
  const TestReceiver receiver = AttachWith(1);

  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .status = EntityStatus::kReceiveDisabled}).ok());

  EXPECT_THAT(receiver.events(), ElementsAre("detached MessagingEntityDisabled"));
}

TEST_F(ReceiverTest, OtherUpdatesLeaveItWhereItIs) {  // LCK-10
  const TestReceiver receiver = AttachWith(1);

  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .lock_duration = seconds(90)}).ok());
  Send();

  ASSERT_THAT(receiver.events(), ElementsAre("1"));
  EXPECT_EQ(receiver.sink->deliveries[0].until, engine_.clock().Now() + seconds(90));
}

// LCK-14: what a receiver never heard of is released, and does not count.
TEST_F(ReceiverTest, WhatItNeverHeardOfIsReleasedWhenItLeaves) {
  const TestReceiver receiver = AttachWith(2);
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent;
  broker().Send("orders", {TenBytes(), TenBytes()}, false, sent.answer());
  engine_.Run();

  broker().Detach(receiver.id);
  engine_.Run();
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_THAT(receiver.events(), IsEmpty());
  const auto received = *engine_.Receive("orders", 2);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].message->number, SequenceNumber(1));
  EXPECT_EQ(received[0].delivery.count, 0U);
  EXPECT_EQ(received[1].delivery.count, 0U);
}

TEST_F(ReceiverTest, WhatWasDeletedForOneThatLeftIsGone) {  // RCV-1
  const TestReceiver receiver = Attach(ReceiveMode::kReceiveAndDelete);
  Grant(receiver, 1);
  engine_.memory_log().Hold();
  Pending<SendReceipt> sent;
  broker().Send("orders", {TenBytes()}, false, sent.answer());
  engine_.Run();

  broker().Detach(receiver.id);
  engine_.Run();
  engine_.memory_log().Release();
  engine_.Run();

  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());
}

}  // namespace
}  // namespace wharf
