// What cannot be read is never served, and nobody guesses what it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "broker/schema/keys.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DamagedStoreTest : public ReceiverFixture {
 protected:
  DamagedStoreTest() {
    is_damaged_ = true;
    spdlog::set_level(spdlog::level::off);
  }
  ~DamagedStoreTest() override { spdlog::set_level(spdlog::level::info); }

  // Overwrites the row of a message of the queue, beneath the broker.
  void Damage(std::uint64_t number) {
    const EntityId id = engine_.GetQueue("orders")->record.id;
    WriteBatch batch;
    batch.Put(IdOf(Table::kMessages), MessageKey({id, LaneKind::kMain}, SequenceNumber(number)),
              "damaged");
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
};

// reliability 20
TEST_F(DamagedStoreTest, ReceiversGetTheOthersAndItIsInQuarantine) {
  Send(2);
  Damage(1);
  engine_.Restart();

  const TestReceiver receiver = AttachWith(5);

  EXPECT_THAT(receiver.events(), ElementsAre("2"));
  EXPECT_EQ(turns_.Count<MessageQuarantined>(), 1U);
  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
  EXPECT_EQ(engine_.GetQueue("orders")->main.fresh, 0);
  const auto peeked = engine_.Peek("orders");
  ASSERT_TRUE(peeked.ok());
  EXPECT_EQ(peeked->messages.at(0).standing, Standing::kQuarantined);
  EXPECT_EQ(peeked->messages.at(0).message->number, SequenceNumber(1));
  EXPECT_THAT(peeked->messages.at(0).unreadable, HasSubstr("damaged"));
  EXPECT_EQ(engine_.ReceiveOne("orders", 1).status().code(), ErrorCode::kGeneralError);
}

TEST_F(DamagedStoreTest, WhatIsMetBeforeItIsInQuarantineIsShownWithItsReason) {
  Send(2);
  Damage(1);

  const auto peeked = engine_.Peek("orders");

  ASSERT_TRUE(peeked.ok());
  ASSERT_EQ(peeked->messages.size(), 2U);
  EXPECT_EQ(peeked->messages[0].standing, Standing::kFresh);
  EXPECT_THAT(peeked->messages[0].unreadable, HasSubstr("damaged"));
  EXPECT_THAT(peeked->messages[1].unreadable, IsEmpty());
}

TEST_F(DamagedStoreTest, ADelayedMessageThatCannotBeReadDoesNotWaitForEver) {
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .retry_policy = RetryPolicy{.base = seconds(5)}})
          .ok());
  Send();
  ASSERT_TRUE(engine_.Abandon("orders", (*engine_.Receive("orders"))[0].token).ok());
  ASSERT_EQ(engine_.GetQueue("orders")->main.delayed, 1);
  Damage(1);

  engine_.Advance(seconds(60));

  EXPECT_EQ(engine_.GetQueue("orders")->main.delayed, 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
}

TEST_F(DamagedStoreTest, OneInQuarantineIsRemovedByItsNumber) {
  Send();
  Damage(1);
  engine_.Restart();
  ASSERT_THAT(*engine_.Receive("orders"), IsEmpty());

  EXPECT_TRUE(engine_.SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.bytes, 0);
  EXPECT_EQ(engine_.FindWrong(), "");
}

TEST_F(DamagedStoreTest, AMissingRecordKeepsNobodyBack) {
  Send(2);
  const auto received = *engine_.Receive("orders", 2);
  for (const Delivered& each : received) {
    ASSERT_TRUE(engine_.Abandon("orders", each.token).ok());
  }
  WriteBatch batch;
  const EntityId id = engine_.GetQueue("orders")->record.id;
  batch.SingleDelete(IdOf(Table::kMessages), MessageKey({id, LaneKind::kMain}, SequenceNumber(1)));
  engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  engine_.Restart();

  EXPECT_THAT(AttachWith(5).events(), ElementsAre("2"));

  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
  EXPECT_EQ(engine_.Peek("orders")->messages.at(0).message->number, SequenceNumber(1));
}

TEST_F(DamagedStoreTest, OtherQueuesAndNewMessagesGoOn) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "other"}).ok());
  Send();
  Damage(1);
  engine_.Restart();
  ASSERT_THAT(*engine_.Receive("orders"), IsEmpty());

  EXPECT_TRUE(engine_.Send("orders", "x").ok());
  EXPECT_EQ(engine_.Receive("orders")->size(), 1U);
  EXPECT_TRUE(engine_.Send("other", "x").ok());
  EXPECT_EQ(engine_.Receive("other")->size(), 1U);
}

TEST_F(DamagedStoreTest, ALockedMessageCanBeCompletedButNotMoved) {
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Damage(1);

  EXPECT_EQ(engine_.DeadLetter("orders", token).code(), ErrorCode::kGeneralError);
  EXPECT_EQ(turns_.Count<MessageDeadLettered>(), 0U);
  EXPECT_TRUE(engine_.Complete("orders", token).ok());
}

TEST_F(DamagedStoreTest, ADeferredMessageIsNeverServedEmptyAndCanBeRemoved) {
  Send();
  ASSERT_TRUE(engine_.Defer("orders", (*engine_.Receive("orders"))[0].token).ok());
  Damage(1);

  EXPECT_EQ(engine_.ReceiveDeferred("orders", {1}).status().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(engine_.GetQueue("orders")->main.deferred, 1);
  EXPECT_TRUE(engine_.SettleOne("orders", 1, {.verb = SettleVerb::kComplete}).ok());

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.bytes, 0);
}

TEST_F(DamagedStoreTest, WhatCannotBeDeadLetteredIsInQuarantine) {
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .lock_duration = seconds(30), .max_delivery_count = 1})
          .ok());
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Damage(1);

  engine_.Advance(seconds(30));

  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());
  EXPECT_EQ(engine_.Complete("orders", token).code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(engine_.GetQueue("orders")->fence, "");
  EXPECT_EQ(engine_.GetQueue("orders")->main.locked, 0);
  EXPECT_EQ(engine_.GetQueue("orders")->main.quarantined, 1);
  EXPECT_EQ(engine_.GetQueue("orders")->dead_letter.messages(), 0);
}

TEST_F(DamagedStoreTest, ADamagedRuleEndsTheStart) {
  ASSERT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "news"}).ok());
  const std::string path = "news/Subscriptions/s";
  ASSERT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = path}).ok());
  const EntityId id = engine_.Get(EntityKind::kSubscription, path)->record.id;
  WriteBatch batch;
  batch.Put(IdOf(Table::kRules), RuleKey(id, "r"),
            EncodeRule({.name = "r", .filter = SqlText{.text = "=="}}));
  engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});

  engine_.Restart();

  EXPECT_EQ(engine_.started().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(engine_.Send("orders", "x").status().code(), ErrorCode::kGeneralError);
}

}  // namespace
}  // namespace wharf
