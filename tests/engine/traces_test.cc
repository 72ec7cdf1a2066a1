// Which spans there are of a message that is followed, and when none.

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/engine/delivery/delivery_traces.h"
#include "tests/harness/engine_harness.h"
#include "tests/trace/sample_span.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Message Followed(const std::string& id = "m1") {
  Message message;
  message.message_id = id;
  message.application_properties = {{"traceparent", std::string(trace::kSampled)}};
  return message;
}

// "wait orders m1 5s", and behind it how it ended.
std::string ToText(const trace::Span& span) {
  const char* const kinds[] = {"send", "wait", "deliver"};
  const auto length = std::chrono::duration_cast<seconds>(span.end - span.start).count();
  std::string text = fmt::format("{} {} {} {}s", kinds[static_cast<int>(span.kind)], span.entity,
                                 span.message_id, length);
  if (!span.disposition.empty()) text += fmt::format(" {}", span.disposition);
  if (span.error != ErrorCode::kOk) text += fmt::format(" {}", ReasonOf(span.error));
  return text;
}

class TracesTest : public ::testing::Test {
 protected:
  TracesTest() : engine_({.tracer = &tracer_}) {
    EXPECT_TRUE(engine_.CreateQueue({.name = "orders", .lock_duration = seconds(30)}).ok());
  }
  ~TracesTest() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  void Send(const Message& message) {
    const auto receipt = engine_.Send("orders", std::vector<Message>{message});
    ASSERT_TRUE(receipt.ok() && receipt->front().ok());
  }
  LockToken Receive(const std::string& path = "orders") {
    const auto received = engine_.Receive(path);
    EXPECT_EQ(received->size(), 1u);
    return received->empty() ? LockToken() : received->front().token;
  }
  // Since the last look.
  std::vector<std::string> Spans() {
    std::vector<std::string> texts;
    for (const trace::Span& span : tracer_.TakeBatch()) {
      EXPECT_EQ(span.parent, *trace::ParseTraceparent(trace::kSampled));
      texts.push_back(ToText(span));
    }
    return texts;
  }

  trace::Tracer tracer_{trace::Sampling::kParent};
  EngineHarness engine_;
};

TEST_F(TracesTest, AMessageIsSentAndWaitsAndIsDelivered) {
  Send(Followed());
  EXPECT_THAT(Spans(), ElementsAre("send orders m1 0s"));

  engine_.Advance(seconds(5));
  const LockToken token = Receive();
  EXPECT_THAT(Spans(), ElementsAre("wait orders m1 5s"));

  engine_.Advance(seconds(7));
  ASSERT_TRUE(engine_.Complete("orders", token).ok());
  EXPECT_THAT(Spans(), ElementsAre("deliver orders m1 7s complete"));
}

TEST_F(TracesTest, OfOthersThereIsNothing) {
  Message unsampled = Followed();
  unsampled.application_properties = {
      {"traceparent", std::string(trace::kSampled).substr(0, 53) + "00"}};
  for (const Message& message : {Message(), unsampled}) {
    Send(message);
    ASSERT_TRUE(engine_.Complete("orders", Receive()).ok());
  }

  EXPECT_THAT(Spans(), IsEmpty());
}

TEST_F(TracesTest, WhatIsFollowedIsFoundAmongOthers) {
  ASSERT_TRUE(
      engine_.Send("orders", std::vector<Message>{{}, Followed("a"), {}, Followed("b"), {}}).ok());
  const auto received = engine_.Receive("orders", 5);
  ASSERT_EQ(received->size(), 5u);
  for (const Delivered& delivered : *received) {
    ASSERT_TRUE(engine_.Complete("orders", delivered.token).ok());
  }

  EXPECT_THAT(Spans(),
              UnorderedElementsAre("send orders a 0s", "send orders b 0s", "wait orders a 0s",
                                   "wait orders b 0s", "deliver orders a 0s complete",
                                   "deliver orders b 0s complete"));
}

TEST_F(TracesTest, EachDeliveryHasItsEndAndOnlyTheFirstAWait) {
  Send(Followed());
  ASSERT_TRUE(engine_.Abandon("orders", Receive()).ok());
  Receive();
  engine_.Advance(seconds(31));
  ASSERT_TRUE(engine_.Release("orders", Receive()).ok());
  ASSERT_TRUE(engine_.DeadLetter("orders", Receive()).ok());
  ASSERT_TRUE(engine_.Complete("orders/$DeadLetterQueue", Receive("orders/$DeadLetterQueue")).ok());

  EXPECT_THAT(Spans(),
              ElementsAre("send orders m1 0s", "wait orders m1 0s", "deliver orders m1 0s abandon",
                          "deliver orders m1 31s MessageLockLost", "deliver orders m1 0s",
                          "deliver orders m1 0s dead_letter",
                          "deliver orders/$DeadLetterQueue m1 0s complete"));
}

TEST_F(TracesTest, WithoutALockItEndsWhenItIsHandedOut) {
  Send(Followed());
  ASSERT_EQ(engine_.Receive("orders", 1, ReceiveMode::kReceiveAndDelete)->size(), 1u);

  EXPECT_THAT(Spans(),
              ElementsAre("send orders m1 0s", "wait orders m1 0s", "deliver orders m1 0s"));
}

TEST_F(TracesTest, AMessageThatIsReceivedByItsNumberIsDelivered) {
  Send(Followed());
  ASSERT_TRUE(engine_.Defer("orders", Receive()).ok());
  Spans();

  const auto deferred = engine_.ReceiveDeferred("orders", {1});
  ASSERT_TRUE(deferred.ok());
  ASSERT_TRUE(engine_.Complete("orders", deferred->front().token).ok());
  Send(Followed("m2"));
  const auto one = engine_.ReceiveOne("orders", 2);
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(engine_.Abandon("orders", one->token).ok());

  EXPECT_THAT(Spans(), ElementsAre("deliver orders m1 0s complete", "send orders m2 0s",
                                   "wait orders m2 0s", "deliver orders m2 0s abandon"));
}

TEST_F(TracesTest, ADeliveryEndsWithItsEntity) {
  Send(Followed());
  Receive();
  ASSERT_TRUE(engine_.Purge("orders").ok());
  Send(Followed("m2"));
  Receive();
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());

  EXPECT_THAT(Spans(), ElementsAre("send orders m1 0s", "wait orders m1 0s",
                                   "deliver orders m1 0s MessageLockLost", "send orders m2 0s",
                                   "wait orders m2 0s", "deliver orders m2 0s MessageLockLost"));
}

TEST_F(TracesTest, ASendThatIsRefusedTellsWhy) {
  EXPECT_FALSE(engine_.Send("nowhere", std::vector<Message>{Followed()}).ok());

  EXPECT_THAT(Spans(), ElementsAre("send nowhere m1 0s MessagingEntityNotFound"));
}

TEST_F(TracesTest, ATransactionInOneCallSends) {
  std::vector<Operation> operations;
  operations.push_back({"orders", SendMessages{{Followed("a"), Message(), Followed("b")}}});
  ASSERT_TRUE(engine_.RunTransaction(std::nullopt, std::move(operations)).ok());

  EXPECT_THAT(Spans(), ElementsAre("send orders a 0s", "send orders b 0s"));
}

TEST_F(TracesTest, ADeliveryThatWasOpenAtARestartHasNone) {
  Send(Followed());
  const LockToken token = Receive();
  Spans();
  engine_.Restart();
  ASSERT_TRUE(engine_.Complete("orders", token).ok());

  EXPECT_THAT(Spans(), IsEmpty());
}

TEST_F(TracesTest, OfMoreThanMayBeOpenThereIsNone) {
  DeliveryTraces traces(&tracer_, /*open_max=*/1);
  Turn turn(engine_.clock().Now());
  for (const SequenceNumber number : {SequenceNumber(1), SequenceNumber(2)}) {
    const LaneId lane{EntityId(7)};
    turn.handed_out.push_back({.lane = lane, .number = number, .span = trace::SampleSpan()});
    turn.changes.push_back(MessageLocked{lane, number, {}, kNever, {}, {}});
  }

  traces.OnCommitted(turn, engine_.clock());

  EXPECT_EQ(tracer_.counts().lost_for_room, 1u);
}

// OTH-4
TEST_F(TracesTest, WhatItSaysComesBackUnchanged) {
  const Message sent = Followed();
  Send(sent);
  ASSERT_TRUE(engine_.DeadLetter("orders", Receive()).ok());
  engine_.Restart();

  const auto received = engine_.Receive("orders/$DeadLetterQueue");

  ASSERT_EQ(received->size(), 1u);
  EXPECT_EQ(received->front().message->message.application_properties.front(),
            sent.application_properties.front());
}

}  // namespace
}  // namespace wharf
