// Bodies that the copies of a message share: kept as long as any copy is there, over restarts, and
// gone with the last one.

#include <gtest/gtest.h>

#include "tests/engine/bodies/large_fixture.h"
#include "tests/harness/body_accounts.h"

namespace wharf {
namespace {

constexpr const char* kFirst = "topic/Subscriptions/a";
constexpr const char* kSecond = "topic/Subscriptions/b";

class TopicBodyTest : public LargeFixture {
 protected:
  TopicBodyTest() {
    QueueDescription topic = LargeQueue();
    topic.name = "topic";
    topic.lock_duration = QueueDescription().lock_duration;
    EXPECT_TRUE(engine_.Create(EntityKind::kTopic, topic).ok());
    for (const char* path : {kFirst, kSecond}) {
      EXPECT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
    }
    id_ = engine_.Get(EntityKind::kTopic, "topic")->record.id;
  }

  void Publish(std::size_t bytes) {
    Message message;
    message.body = std::string(bytes, 'b');
    ASSERT_TRUE((*engine_.Send("topic", {message}))[0].ok());
  }
  void PublishLarge() {
    const TestUpload upload = Begin(kLargeBytes, {}, "topic");
    upload.Write(LargeBody());
    engine_.Run();
    ASSERT_EQ(upload.code(), ErrorCode::kOk);
  }
  void Complete(const std::string& path) {
    const auto received = engine_.Receive(path);
    ASSERT_EQ(received->size(), 1U);
    ASSERT_TRUE(engine_.Complete(path, (*received)[0].token).ok());
    engine_.Run();
  }
  std::string Stray() { return FindStrayBodies(engine_.store()); }
  std::size_t Released() { return Jobs(JobKind::kReleasedBody); }
};

TEST_F(TopicBodyTest, TheBodyGoesWithTheLastCopy) {
  Publish(5000);
  Complete(kFirst);
  EXPECT_EQ(BodyRows(), 1U);
  Complete(kSecond);

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Stray(), "");
}

// Not every copy keeps it in memory; whoever receives one has it whole.
TEST_F(TopicBodyTest, ALongBodyIsReadForThoseWhoReceiveIt) {  // TOP-8
  constexpr std::size_t kBytes = 200 * 1024;
  Publish(kBytes);
  for (const char* path : {kFirst, kSecond}) {
    const auto received = engine_.Receive(path);
    ASSERT_EQ(received->size(), 1U);
    EXPECT_EQ((*received)[0].message->message.body, std::string(kBytes, 'b'));
  }
}

// One message may have thousands of copies: the requests of one turn are as many as fit a commit.
TEST_F(TopicBodyTest, ManyCopiesAreSeveralCommits) {
  constexpr std::size_t kMessages = 4000;
  for (const char* path : {"topic/Subscriptions/c", "topic/Subscriptions/d",
                           "topic/Subscriptions/e", "topic/Subscriptions/f"}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  }
  std::vector<Pending<SendReceipt>> sends(kMessages / 2);
  for (auto& send : sends) {
    engine_.broker().Send("topic", {TenBytes(), TenBytes()}, false, send.answer());
  }
  engine_.Run();

  std::size_t largest = 0;
  for (const Changes& turn : turns_.turns) {
    largest = std::max(largest, TurnRecorder::CountIn<MessageCopied>(turn));
  }
  EXPECT_GT(largest, Turn::kCopiesMax - 12);
  EXPECT_LT(largest, Turn::kCopiesMax + 12);
  EXPECT_EQ(turns_.Count<MessageCopied>(), 6 * kMessages);
  for (const auto& send : sends) EXPECT_TRUE(send.result && send.result->ok());
}

TEST_F(TopicBodyTest, TheLastCopyIsFoundOutAfterARestart) {
  Publish(5000);
  engine_.Restart();
  Complete(kFirst);
  EXPECT_EQ(BodyRows(), 1U);
  EXPECT_EQ(Released(), 0U);
  Complete(kSecond);

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Released(), 0U);
  EXPECT_EQ(Stray(), "");
}

TEST_F(TopicBodyTest, WhatNobodyLookedAtIsLookedAtAfterTheNextStart) {
  Publish(5000);
  engine_.Restart();
  for (const char* path : {kFirst, kSecond}) {
    const auto received = engine_.Receive(path);
    Pending<SettleReceipt> settled;
    broker().Settle(path, {(*received)[0].token}, {}, settled.answer());
    // Committed; whether a reader has come to look is chance.
    engine_.work().RunUntil([&] { return settled.result.has_value(); });
  }
  engine_.Restart();

  EXPECT_EQ(Released(), 0U);
  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Stray(), "");
}

TEST_F(TopicBodyTest, BothCopiesMayGoInOneTurn) {
  Publish(5000);
  engine_.Restart();
  const auto first = engine_.Receive(kFirst);
  const auto second = engine_.Receive(kSecond);
  Pending<SettleReceipt> one;
  Pending<SettleReceipt> other;
  broker().Settle(kFirst, {(*first)[0].token}, {}, one.answer());
  broker().Settle(kSecond, {(*second)[0].token}, {}, other.answer());
  engine_.Run();

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Released(), 0U);
  EXPECT_EQ(Stray(), "");
}

TEST_F(TopicBodyTest, ALargeBodyIsSharedToo) {
  PublishLarge();
  EXPECT_EQ(LooseBodies(), 0U);
  ASSERT_EQ(*engine_.Purge(kFirst), 1);
  engine_.Run();
  EXPECT_EQ(BodyRows(), 5U);
  EXPECT_EQ(Stray(), "");
  ASSERT_EQ(*engine_.Purge(kSecond), 1);
  engine_.Run();

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Stray(), "");
}

TEST_F(TopicBodyTest, ALargeBodyThatIsTakenWithoutALockStaysUntilItIsSent) {
  PublishLarge();
  for (const char* path : {kFirst, kSecond}) {
    const TestReceiver receiver = Attach(ReceiveMode::kReceiveAndDelete, path);
    Grant(receiver, 1);
    const BodyRef body = *receiver.sink->deliveries.at(0).message->facts.body_ref;
    EXPECT_EQ(LooseBodies(), 1U);
    EXPECT_TRUE(*ReadBody(body) == LargeBody());
    broker().DropBody(body);
    engine_.Run();
    EXPECT_EQ(LooseBodies(), 0U);
    EXPECT_EQ(Stray(), "");
  }

  EXPECT_EQ(BodyRows(), 0U);
}

TEST_F(TopicBodyTest, ALargeBodyThatNobodyTakesGoes) {
  for (const char* path : {kFirst, kSecond}) {
    ASSERT_TRUE(engine_.RemoveRule(path, "$Default").ok());
  }
  PublishLarge();

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(LooseBodies(), 0U);
}

TEST_F(TopicBodyTest, ADeletedSubscriptionLeavesTheBodyToTheOthers) {
  Publish(5000);
  ASSERT_TRUE(engine_.Delete(EntityKind::kSubscription, kFirst).ok());
  engine_.Run();
  EXPECT_EQ(BodyRows(), 1U);
  EXPECT_EQ(Stray(), "");
  ASSERT_TRUE(engine_.Delete(EntityKind::kTopic, "topic").ok());
  engine_.Run();

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Stray(), "");
}

// Copies of copies name the body, too: those that a topic makes of a copy that is forwarded to it.
TEST_F(TopicBodyTest, TheBodyStaysForCopiesOfForwardedCopies) {  // FWD-1, TOP-8
  const std::string third = "second/Subscriptions/c";
  const std::string fourth = "second/Subscriptions/d";
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "second"}).ok());
  for (const std::string& path : {third, fourth}) {
    ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  }
  ASSERT_TRUE(
      engine_.Update(EntityKind::kSubscription, {.name = kSecond, .forward_to = "second"}).ok());
  Publish(5000);

  for (const std::string& path : {third, fourth, std::string(kFirst)}) {
    EXPECT_EQ(BodyRows(), 1U) << path;
    EXPECT_EQ(Stray(), "") << path;
    Complete(path);
  }

  EXPECT_EQ(BodyRows(), 0U);
  EXPECT_EQ(Stray(), "");
}

}  // namespace
}  // namespace wharf
