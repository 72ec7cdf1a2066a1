// Queues that nobody uses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::IsEmpty;

class IdleTest : public ReceiverFixture {
 protected:
  IdleTest() {
    EXPECT_TRUE(engine_.UpdateQueue({.name = "orders", .auto_delete_on_idle = minutes(5)}).ok());
  }
  bool IsThere() { return engine_.GetQueue("orders").ok(); }
};

TEST_F(IdleTest, AReceiverThatWaitsKeepsIt) {  // ADI-9
  const TestReceiver receiver = AttachWith(1);
  engine_.Advance(minutes(61));
  EXPECT_TRUE(IsThere());

  broker().Detach(receiver.id);
  engine_.Run();
  engine_.Advance(minutes(5) - seconds(1));
  EXPECT_TRUE(IsThere());
  engine_.Advance(seconds(1));
  EXPECT_FALSE(IsThere());
}

TEST_F(IdleTest, AReceiverWithoutCreditDoesNotKeepIt) {  // ADI-9
  Attach();

  engine_.Advance(minutes(5));

  EXPECT_FALSE(IsThere());
}

TEST_F(IdleTest, ItWasInUseUntilTheCreditWasTakenBack) {  // ADI-9
  const TestReceiver receiver = AttachWith(1);
  engine_.Advance(minutes(5));
  engine_.Advance(minutes(4));
  broker().Revoke(receiver.id, {1, std::nullopt});
  engine_.Run();

  engine_.Advance(minutes(5) - seconds(1));
  EXPECT_TRUE(IsThere());
  engine_.Advance(seconds(1));
  EXPECT_FALSE(IsThere());
}

TEST_F(IdleTest, AReceiverOfItsDeadLetterQueueKeepsItToo) {  // ADI-10
  Grant(Attach(ReceiveMode::kPeekLock, "orders/$DeadLetterQueue"), 1);

  engine_.Advance(minutes(61));

  EXPECT_TRUE(IsThere());
}

TEST_F(IdleTest, AReceiverOfASubscriptionKeepsItsTopic) {  // ADI-4, ADI-9
  const std::string path = "news/Subscriptions/a";
  ASSERT_TRUE(
      engine_.Create(EntityKind::kTopic, {.name = "news", .auto_delete_on_idle = minutes(5)}).ok());
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  const TestReceiver receiver = Attach(ReceiveMode::kPeekLock, path);
  Grant(receiver, 1);

  engine_.Advance(minutes(80));
  EXPECT_TRUE(engine_.Get(EntityKind::kTopic, "news").ok());
  EXPECT_THAT(receiver.events(), IsEmpty());

  broker().Detach(receiver.id);
  engine_.Run();
  engine_.Advance(minutes(5));
  EXPECT_FALSE(engine_.Get(EntityKind::kTopic, "news").ok());
}

TEST_F(IdleTest, ACallThatWaitedCountsUntilItsEnd) {  // ADI-9
  Pending<std::vector<Delivered>> once;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 1000, minutes(4)}, once.answer());
  engine_.Run();
  engine_.Advance(minutes(4));
  ASSERT_TRUE(once.result.has_value());

  engine_.Advance(minutes(5) - seconds(1));

  EXPECT_TRUE(IsThere());
}

TEST_F(IdleTest, ReadingTheStateOfASessionKeepsIt) {  // ADI-11
  QueueDescription chats{.name = "chats", .auto_delete_on_idle = minutes(5)};
  chats.requires_session = true;
  chats.lock_duration = std::chrono::hours(1);
  ASSERT_TRUE(engine_.CreateQueue(chats).ok());
  const auto session = engine_.AcceptSession("chats", "red");
  ASSERT_TRUE(session.ok());

  for (int i = 0; i < 5; ++i) {
    engine_.Advance(minutes(4));
    EXPECT_TRUE(engine_.GetSessionState("chats", session->token).ok()) << i;
  }
}

// The last use is known after a crash, to the minute, also if nothing was done but what no counter
// counts, and often.
TEST_F(IdleTest, RenewingALockKeepsItOverARestart) {  // ADI-3, ADI-13
  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders", .auto_delete_on_idle = minutes(30)}).ok());
  ASSERT_TRUE(engine_.Send("orders", "x").ok());
  const LockToken token = engine_.Receive("orders")->front().token;
  for (int i = 0; i < 60; ++i) {
    engine_.Advance(seconds(20));
    ASSERT_TRUE(engine_.RenewLock("orders", token).ok());
  }

  engine_.Restart();
  engine_.Advance(minutes(29) - seconds(1));
  EXPECT_TRUE(IsThere());
}

TEST_F(IdleTest, AnAcceptedSendNeverGoesWithIt) {  // reliability 53
  engine_.clock().Advance(minutes(5));
  Pending<SendReceipt> sent;
  broker().Send("orders", {TenBytes()}, false, sent.answer());
  engine_.Run();

  // Both were due in the same turn: whoever was planned first, the answer tells the truth.
  EXPECT_EQ(sent.result->ok(), IsThere());
}

TEST_F(IdleTest, AnUpdateMayTakeTheOptionAway) {  // ADI-1
  engine_.Advance(minutes(4));
  ASSERT_TRUE(engine_.UpdateQueue({.name = "orders"}).ok());

  engine_.Advance(std::chrono::hours(24 * 365));

  EXPECT_TRUE(IsThere());
}

TEST_F(IdleTest, WhoAsksAfterwardsHearsThatItIsGone) {  // ADI-14
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  engine_.Advance(minutes(5));

  EXPECT_EQ(engine_.Complete("orders", token).code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(engine_.Receive("orders").status().code(), ErrorCode::kMessagingEntityNotFound);
}

}  // namespace
}  // namespace wharf
