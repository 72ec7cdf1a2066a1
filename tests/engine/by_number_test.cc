// Messages that are asked for by their numbers while others change them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using ::testing::SizeIs;

class ByNumberTest : public ReceiverFixture {
 protected:
  using Messages = std::vector<Delivered>;

  void SendDeferred(std::size_t count) {
    Send(count);
    const auto received = engine_.Receive("orders", count);
    for (const Delivered& delivered : *received) {
      ASSERT_TRUE(engine_.Defer("orders", delivered.token).ok());
    }
  }
  static Broker::Numbers Numbers(std::uint64_t first, std::uint64_t count) {
    Broker::Numbers numbers;
    for (std::uint64_t i = 0; i < count; ++i) numbers.emplace_back(first + i);
    return numbers;
  }
  static std::size_t Successes(const Pending<Messages>& one, const Pending<Messages>& other) {
    return (one.result->ok() ? 1 : 0) + (other.result->ok() ? 1 : 0);
  }
};

TEST_F(ByNumberTest, OfTwoWhoAskForADeferredMessageAtOnceOneGetsIt) {  // DEF-3
  SendDeferred(2);
  Pending<Messages> one;
  Pending<Messages> other;
  broker().ReceiveDeferred({"orders", ReceiveMode::kPeekLock}, Numbers(1, 2), one.answer());
  broker().ReceiveDeferred({"orders", ReceiveMode::kPeekLock}, Numbers(2, 1), other.answer());
  engine_.Run();

  EXPECT_EQ(Successes(one, other), 1U);
}

TEST_F(ByNumberTest, OfTwoWhoAskForAWaitingMessageAtOnceOneGetsIt) {  // ONE-1
  Send();
  Pending<Messages> by_number;
  Pending<Messages> in_order;
  broker().ReceiveOne({"orders", ReceiveMode::kPeekLock}, SequenceNumber(1), by_number.answer());
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, Duration(0)}, in_order.answer());
  engine_.Run();

  const std::size_t got = (by_number.result->ok() ? 1 : 0) + (*in_order.result)->size();
  EXPECT_EQ(got, 1U);
}

TEST_F(ByNumberTest, AQueueThatMayNotBeReceivedFromGivesNoneByNumber) {  // STS-3, ONE-1
  Send();
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .status = EntityStatus::kReceiveDisabled}).ok());

  EXPECT_EQ(engine_.ReceiveOne("orders", 1).status().code(), ErrorCode::kMessagingEntityDisabled);
}

TEST_F(ByNumberTest, AMessageThatIsTakenFromTheMiddleIsNotDeliveredAgain) {  // ONE-1, STA-1
  Send(3);
  ASSERT_TRUE(engine_.ReceiveOne("orders", 2).ok());
  engine_.Restart();

  const TestReceiver receiver = AttachWith(10);

  ASSERT_THAT(receiver.sink->deliveries, SizeIs(2));
  EXPECT_EQ(receiver.sink->deliveries[0].message->number, SequenceNumber(1));
  EXPECT_EQ(receiver.sink->deliveries[1].message->number, SequenceNumber(3));
}

TEST_F(ByNumberTest, WhatIsReceivedTogetherFitsOneAnswer) {  // DEF-2
  Message message;
  message.body = std::string(600000, 'x');
  ASSERT_TRUE(engine_.Send("orders", {message, message}).ok());
  while (true) {
    const auto received = engine_.Receive("orders", 2);
    if (received->empty()) break;
    for (const Delivered& delivered : *received) {
      ASSERT_TRUE(engine_.Defer("orders", delivered.token).ok());
    }
  }

  EXPECT_EQ(engine_.ReceiveDeferred("orders", {1, 2}).status().code(),
            ErrorCode::kMessageSizeExceeded);
  EXPECT_THAT(*engine_.ReceiveDeferred("orders", {2}), SizeIs(1));
}

TEST_F(ByNumberTest, TooManyNumbersAreRefused) {  // ERR-16
  Pending<Messages> received;
  broker().ReceiveDeferred({"orders", ReceiveMode::kPeekLock}, Numbers(1, Broker::kItemsMax + 1),
                           received.answer());

  EXPECT_EQ(received.result->status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST_F(ByNumberTest, APurgeWhileTheyAreReadLeavesNothingToReceive) {  // PRG-1
  SendDeferred(1);
  Pending<Messages> received;
  Pending<std::int64_t> purged;
  broker().ReceiveDeferred({"orders", ReceiveMode::kPeekLock}, Numbers(1, 1), received.answer());
  broker().Purge("orders", false, purged.answer());
  engine_.Run();

  EXPECT_EQ(**purged.result, 1);
  EXPECT_EQ(received.result->status().code(), ErrorCode::kMessageNotFound);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
}

TEST_F(ByNumberTest, CancelAndActivationOfOneMessageDoNotBothSucceed) {  // SCH-3
  Message message = TenBytes();
  message.scheduled_enqueue_time = engine_.clock().Now() + std::chrono::seconds(10);
  ASSERT_TRUE(engine_.Send("orders", {message}).ok());
  Pending<std::monostate> cancelled;
  Pending<Broker::Numbers> activated;
  broker().CancelScheduled("orders", Numbers(1, 1), cancelled.answer());
  broker().ActivateScheduled("orders", Numbers(1, 1), activated.answer());
  engine_.Run();

  EXPECT_NE(cancelled.result->ok(), activated.result->ok());
  const LaneCounters counters = engine_.GetQueue("orders")->main;
  EXPECT_EQ(counters.scheduled, 0);
  EXPECT_EQ(counters.messages(), activated.result->ok() ? 1 : 0);
}

TEST_F(ByNumberTest, AMessageThatIsReceivedWhileItIsSweptIsDeliveredOrExpiresNotBoth) {  // TTL-7
  Message message = TenBytes();
  message.time_to_live = std::chrono::seconds(10);
  for (std::uint64_t number = 1; number <= 20; ++number) {
    ASSERT_TRUE(engine_.Send("orders", {message}).ok());
    engine_.clock().Advance(std::chrono::microseconds(9'999'999));
    Pending<Messages> received;
    broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, Duration(0)},
                         received.answer());
    engine_.clock().Advance(std::chrono::microseconds(number % 2));
    engine_.Run();
    engine_.Advance(std::chrono::seconds(1));

    const LaneCounters counters = engine_.GetQueue("orders")->main;
    ASSERT_EQ(counters.messages(), static_cast<std::int64_t>((*received.result)->size()));
    for (const Delivered& delivered : **received.result) {
      ASSERT_TRUE(engine_.Complete("orders", delivered.token).ok());
    }
  }
}

TEST_F(ByNumberTest, ManyDueMessagesComeInSteps) {  // SCH-7
  Message message = TenBytes();
  message.scheduled_enqueue_time = engine_.clock().Now() + std::chrono::seconds(10);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(1000, message)).ok());
  }

  engine_.Advance(std::chrono::seconds(10));

  EXPECT_EQ(engine_.GetQueue("orders")->main.fresh, 5000);
  EXPECT_EQ(engine_.GetQueue("orders")->main.scheduled, 0);
  for (const Changes& changes : turns_.turns) {
    EXPECT_LE(TurnRecorder::CountIn<MessageActivated>(changes), 2048U);
  }
}

}  // namespace
}  // namespace wharf
