// What a sender said comes back as it was: through the engine, the store and restarts.

#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/sample_message.h"

namespace wharf {
namespace {

class CarriedTest : public ReceiverFixture {
 protected:
  static Message Sample() {
    Message message = SampleMessage();
    message.time_to_live.reset();
    return message;
  }
  void SendOne(const Message& message) {
    const auto receipt = engine_.Send("orders", std::vector<Message>(1, message));
    ASSERT_TRUE(receipt.ok() && receipt->front().ok()) << receipt->front().status().ToString();
  }
  Delivered ReceiveOne(const std::string& path = "orders") {
    auto received = *engine_.Receive(path);
    EXPECT_EQ(received.size(), 1U);
    return received.empty() ? Delivered{std::make_shared<StoredMessage>(), {}, {}, {}}
                            : received.front();
  }
};

// PRP-1..10, PRP-12, PRP-26, PRP-27, PRP-29, USR-2, USR-3, USR-4, USR-6, USR-8, SND-9
TEST_F(CarriedTest, EveryPropertyComesBackAtOnce) {
  SendOne(Sample());

  EXPECT_EQ(FirstDifference(ReceiveOne().message->message, Sample()), "");
}

TEST_F(CarriedTest, EveryPropertyComesBackAfterARestart) {
  SendOne(Sample());
  engine_.Restart();

  const Delivered received = ReceiveOne();
  EXPECT_EQ(FirstDifference(received.message->message, Sample()), "");

  ASSERT_TRUE(engine_.Abandon("orders", received.token).ok());
  engine_.Restart();
  EXPECT_EQ(FirstDifference(ReceiveOne().message->message, Sample()), "");
}

TEST_F(CarriedTest, EveryPropertyComesAlongIntoTheDeadLetterQueue) {  // DLQ-9
  SendOne(Sample());
  ASSERT_TRUE(engine_.DeadLetter("orders", ReceiveOne().token).ok());
  engine_.Restart();

  EXPECT_EQ(FirstDifference(ReceiveOne("orders/$DeadLetterQueue").message->message, Sample()), "");
}

// ENC-3: how a sender over AMQP wrote it is a part of what it said.
TEST_F(CarriedTest, EveryPropertyComesAlongToAnotherQueueAndBackFromTheDead) {  // FWD-14, RDR-1
  ASSERT_TRUE(engine_.CreateQueue({.name = "there"}).ok());
  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .forward_to = "there"}).ok());
  SendOne(Sample());
  engine_.Restart();
  const Delivered forwarded = ReceiveOne("there");
  EXPECT_EQ(FirstDifference(forwarded.message->message, Sample()), "");

  ASSERT_TRUE(engine_.CreateQueue({.name = "back"}).ok());
  ASSERT_TRUE(engine_.DeadLetter("there", forwarded.token).ok());
  ASSERT_TRUE(
      engine_
          .BeginJob({.verb = JobVerb::kRedrive, .path = "there/$DeadLetterQueue", .target = "back"})
          .ok());
  engine_.Restart();
  Message redriven = ReceiveOne("back").message->message;

  ASSERT_FALSE(redriven.application_properties.empty());
  EXPECT_EQ(redriven.application_properties.back().first, kRedriveCount);
  redriven.application_properties.pop_back();
  EXPECT_EQ(FirstDifference(redriven, Sample()), "");
}

TEST_F(CarriedTest, ARuleChangesOneFieldOfItsCopy) {  // RUL-5
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "topic"}).ok());
  const RuleDescription rule{.name = "all", .action = SqlText{"SET sys.Label = 'new'"}};
  ASSERT_TRUE(
      engine_.Create(EntityKind::kSubscription, {.name = "topic/Subscriptions/s"}, rule).ok());
  ASSERT_TRUE(engine_.Send("topic", std::vector<Message>(1, Sample())).ok());
  engine_.Restart();
  Message copy = ReceiveOne("topic/Subscriptions/s").message->message;

  EXPECT_EQ(copy.subject, "new");
  copy.subject = Sample().subject;
  EXPECT_EQ(copy.application_properties.back().first, kRuleName);
  copy.application_properties.pop_back();
  EXPECT_EQ(FirstDifference(copy, Sample()), "");
}

TEST_F(CarriedTest, APeekShowsEveryProperty) {  // PEEK-1
  SendOne(Sample());

  const auto page = engine_.Peek("orders");

  EXPECT_EQ(FirstDifference(page->messages.at(0).message->message, Sample()), "");
}

TEST_F(CarriedTest, ABodyIsReturnedVerbatimWhateverItsKindAndSize) {  // USR-6
  for (const BodyKind kind :
       {BodyKind::kData, BodyKind::kValue, BodyKind::kSequence, BodyKind::kDataSections}) {
    for (const std::size_t size : {0, 1, 4096, 4097, 262144, 262145, 900000}) {
      Message message;
      message.body_kind = kind;
      message.body.resize(size);
      for (std::size_t i = 0; i < size; ++i) message.body[i] = static_cast<char>(i * 7);
      SendOne(message);
      engine_.Restart();
      const Delivered received = ReceiveOne();
      EXPECT_EQ(FirstDifference(received.message->message, message), "") << size;
      ASSERT_TRUE(engine_.Complete("orders", received.token).ok());
    }
  }
}

TEST_F(CarriedTest, AbsentIsNotTheSameAsEmpty) {
  Message empty;
  empty.subject = "";
  SendOne(empty);
  SendOne(Message());
  engine_.Restart();

  EXPECT_EQ(ReceiveOne().message->message.subject, "");
  EXPECT_EQ(ReceiveOne().message->message.subject, std::nullopt);
}

// PRP-26: a priority is carried and does not change the order; `durable` promises nothing new.
TEST_F(CarriedTest, WhatAmqpClientsSayOfPriorityChangesNothing) {
  for (const std::uint32_t priority : {0, 9, 4}) {
    CarriedProperties carried;
    carried.priority = priority;
    carried.durable = false;
    Message message;
    message.carried = std::make_shared<const CarriedProperties>(carried);
    SendOne(message);
  }
  engine_.Restart();

  EXPECT_EQ(ReceiveOne().message->message.carried->priority, 0U);
  EXPECT_EQ(ReceiveOne().message->message.carried->priority, 9U);
  EXPECT_EQ(ReceiveOne().message->message.carried->priority, 4U);
}

// SND-10: a received message may be sent again; what the broker gave it is given anew.
TEST_F(CarriedTest, AResentMessageIsANewOne) {
  SendOne(Sample());
  const Delivered first = ReceiveOne();
  ASSERT_TRUE(engine_.Abandon("orders", first.token).ok());
  engine_.Advance(std::chrono::seconds(5));

  SendOne(first.message->message);
  const auto both = *engine_.Receive("orders", 2);

  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].message->number, SequenceNumber(2));
  EXPECT_EQ(both[1].message->enqueued_at, engine_.clock().Now());
  EXPECT_EQ(both[1].delivery.count, 0U);
  EXPECT_NE(both[1].token, both[0].token);  // PRP-19
}

// PRP-8, SND-9: on a queue without sessions a session id is plain data.
TEST_F(CarriedTest, SessionsHoldNothingBackOnAPlainQueue) {
  for (const auto* session : {"a", "b", "a"}) {
    Message message;
    message.session_id = session;
    SendOne(message);
  }

  EXPECT_EQ(engine_.Receive("orders", 3)->size(), 3U);
}

}  // namespace
}  // namespace wharf
