// What cannot be read is never served, and nobody guesses what it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "broker/schema/keys.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
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

TEST_F(DamagedStoreTest, ReceiversHearWhyAndGetNothing) {
  Send(2);
  Damage(1);
  engine_.Restart();

  const TestReceiver receiver = AttachWith(5);

  EXPECT_THAT(receiver.events(), ElementsAre("detached GeneralError"));
  EXPECT_EQ(engine_.Receive("orders").status().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(engine_.Peek("orders").status().code(), ErrorCode::kGeneralError);
  EXPECT_EQ(engine_.ReceiveOne("orders", 1).status().code(), ErrorCode::kGeneralError);
}

TEST_F(DamagedStoreTest, OtherQueuesAndNewMessagesGoOn) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "other"}).ok());
  Send();
  Damage(1);
  engine_.Restart();
  ASSERT_FALSE(engine_.Receive("orders").ok());

  EXPECT_TRUE(engine_.Send("orders", "x").ok());
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

TEST_F(DamagedStoreTest, WhatCannotBeDeadLetteredStaysWhereItIs) {
  ASSERT_TRUE(
      engine_.UpdateQueue({.name = "orders", .lock_duration = seconds(30), .max_delivery_count = 1})
          .ok());
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Damage(1);

  engine_.Advance(seconds(30));

  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());
  EXPECT_EQ(engine_.Complete("orders", token).code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 1);
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
