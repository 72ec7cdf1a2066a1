// What the load says over AMQP, and what it makes of what it hears.

#include "tools/crash/amqp/amqp_words.h"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "tools/crash/history/body.h"

namespace wharf::crash {
namespace {

constexpr MessageId kId{31, 7};

TEST(AmqpWordsTest, AMessageIsReadAsItIsWritten) {
  v1::Message message;
  message.set_message_id(ToString(kId));
  message.set_session_id("chat");
  message.set_body(MakeBody(kId, 40));

  const Result<DeliveryRecord> read = DecodeDelivery(EncodeMessage(message), "tag");

  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->id, kId);
  EXPECT_EQ(read->session, "chat");
  EXPECT_EQ(read->body, DigestOf(message.body()));
  EXPECT_EQ(read->delivery_count, 0U);
}

TEST(AmqpWordsTest, ATagIsATokenInTheOrderOfNet) {  // PRP-19
  EXPECT_EQ(TokenOf("dcbafehgijklmnop"), "abcdefghijklmnop");
}

TEST(AmqpWordsTest, ADeadLetteringIsAnsweredByARejectedWithoutAnError) {
  EXPECT_TRUE(AnswerOf(amqp::Rejected()).ok());
  EXPECT_TRUE(AnswerOf(InTransaction("t", amqp::Rejected())).ok());

  amqp::Rejected lost;
  lost.error.emplace().condition.text = "com.microsoft:message-lock-lost";
  EXPECT_EQ(AnswerOf(lost).status().code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(AnswerOf(InTransaction("t", lost)).status().code(), ErrorCode::kMessageLockLost);
}

// ERR-26
TEST(AmqpWordsTest, OfANodeThatDoesNotLeadAnythingMayBeDone) {
  amqp::Error error;
  error.condition.text = "com.microsoft:partition-not-owned";
  EXPECT_EQ(StatusOfError(error).outcome(), Outcome::kUnknown);
  error.condition.text = "com.microsoft:server-busy";
  EXPECT_EQ(StatusOfError(error).outcome(), Outcome::kNotDone);
}

TEST(AmqpWordsTest, EachVerbHasItsOutcome) {  // STL-1 to STL-5
  const auto outcome = [](Verb verb) { return OutcomeOf({.verb = verb}, Timestamp()); };

  EXPECT_TRUE(std::holds_alternative<amqp::Accepted>(outcome(Verb::kComplete)));
  EXPECT_TRUE(std::holds_alternative<amqp::Released>(outcome(Verb::kRelease)));
  EXPECT_TRUE(std::holds_alternative<amqp::Rejected>(outcome(Verb::kDeadLetter)));
  EXPECT_EQ(std::get<amqp::Modified>(outcome(Verb::kDefer)).undeliverable_here, true);
  EXPECT_FALSE(std::get<amqp::Modified>(outcome(Verb::kAbandon)).undeliverable_here);
}

}  // namespace
}  // namespace wharf::crash
