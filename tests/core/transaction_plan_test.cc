#include "broker/core/operations/transaction_plan.h"

#include <gtest/gtest.h>

#include "tests/core/queue_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;

Operation Send(std::string body, std::optional<std::string> message_id = std::nullopt) {
  std::vector<Message> messages(1);
  messages[0].body = std::move(body);
  messages[0].message_id = std::move(message_id);
  return {"orders", SendMessages{std::move(messages)}};
}

Operation Settle(const LockToken& token, SettleVerb verb) {
  return {"orders", SettleMessages{{token}, {.verb = verb}}};
}

class TransactionPlanTest : public ::testing::Test {
 protected:
  explicit TransactionPlanTest(const QueueDescription& description = {}) : fixture_(description) {}

  // Checks all of them, and does them if they may be done.
  Status Run(std::vector<Operation> operations) {
    TransactionPlan plan(found_, fixture_.now());
    for (Operation& operation : operations) {
      WHARF_RETURN_IF_ERROR(plan.Add(fixture_.queue(), LaneKind::kMain, operation));
    }
    missing_ = plan.Missing();
    if (!missing_.empty()) return {ErrorCode::kServiceBusy, "something must be read"};
    WHARF_RETURN_IF_ERROR(plan.CheckFound());
    results_ = plan.Apply(changes_);
    return {};
  }

  QueueFixture fixture_;
  TransactionFound found_;
  TransactionReads missing_;
  std::vector<OperationResult> results_;
  Changes changes_;
};

TEST_F(TransactionPlanTest, DoesAllInTheirOrder) {  // TXN-11
  const LockToken token = fixture_.SendAndReceive().token;

  ASSERT_TRUE(Run({Send("a"), Settle(token, SettleVerb::kComplete), Send("b")}).ok());

  ASSERT_EQ(changes_.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<MessageEnqueued>(changes_[0]));
  EXPECT_TRUE(std::holds_alternative<MessageCompleted>(changes_[1]));
  EXPECT_EQ(results_[2].sent, std::vector<SendOutcome>({{SequenceNumber(3), false}}));
}

TEST_F(TransactionPlanTest, ARefusedOperationLeavesNothingOfThoseBefore) {  // TXN-11
  const LockToken token = fixture_.SendAndReceive().token;
  const LaneCounters before = fixture_.queue().lane(LaneKind::kMain).counters();

  const Status refused =
      Run({Send("a"), Settle(token, SettleVerb::kComplete), Settle({1, 2}, SettleVerb::kComplete)});

  EXPECT_EQ(refused.code(), ErrorCode::kMessageLockLost);
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(fixture_.queue().lane(LaneKind::kMain).counters(), before);
  EXPECT_TRUE(fixture_.Settle(token, SettleVerb::kComplete).ok());
}

TEST_F(TransactionPlanTest, ATokenIsSettledOnce) {
  const LockToken token = fixture_.SendAndReceive().token;

  const Status refused =
      Run({Settle(token, SettleVerb::kAbandon), Settle(token, SettleVerb::kComplete)});

  EXPECT_EQ(refused.code(), ErrorCode::kArgumentError);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(TransactionPlanTest, ALockThatEndedCannotBeSettled) {  // TXN-13
  const LockToken token = fixture_.SendAndReceive().token;
  fixture_.clock().Advance(fixture_.queue().description().lock_duration);

  EXPECT_EQ(Run({Settle(token, SettleVerb::kComplete)}).code(), ErrorCode::kMessageLockLost);
}

TEST_F(TransactionPlanTest, AMessageThatMovesIsReadFirst) {
  const LockToken token = fixture_.SendAndReceive("body").token;
  const Shelf shelf = fixture_.queue().lane(LaneKind::kMain).shelf();

  EXPECT_FALSE(Run({Send("a"), Settle(token, SettleVerb::kDeadLetter)}).ok());
  ASSERT_EQ(missing_.messages(), 1U);
  EXPECT_TRUE(changes_.empty());

  found_.contents[shelf] = fixture_.contents();
  ASSERT_TRUE(Run({Send("a"), Settle(token, SettleVerb::kDeadLetter)}).ok());
  EXPECT_EQ(fixture_.queue().lane(LaneKind::kDeadLetter).counters().messages(), 1);
}

TEST_F(TransactionPlanTest, AMessageThatIsNotInTheStoreFailsAll) {
  const LockToken token = fixture_.SendAndReceive("body").token;
  found_.contents[fixture_.queue().lane(LaneKind::kMain).shelf()][SequenceNumber(1)] = nullptr;

  EXPECT_EQ(Run({Send("a"), Settle(token, SettleVerb::kDeadLetter)}).code(),
            ErrorCode::kGeneralError);
  EXPECT_TRUE(changes_.empty());
}

class TransactionPlanOnAFullQueueTest : public TransactionPlanTest {
 protected:
  TransactionPlanOnAFullQueueTest() {
    QueueDescription small;
    small.name = "orders";
    small.max_size_in_megabytes = 1;
    fixture_.Update(small);
  }
};

TEST_F(TransactionPlanOnAFullQueueTest, TheQuotaCountsWhatIsSentBefore) {  // QUO-1
  const std::string large(600 * 1024, 'x');

  EXPECT_EQ(Run({Send(large), Send(large), Send("x")}).code(), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(changes_.empty());
  EXPECT_TRUE(Run({Send(large), Send(large)}).ok());
}

class TransactionPlanWithPartitionsTest : public TransactionPlanTest {
 protected:
  TransactionPlanWithPartitionsTest()
      : TransactionPlanTest({.name = "orders", .enable_partitioning = true}) {}

  static Operation SendTo(std::optional<std::string> key) {
    Operation operation = Send("x");
    std::get<SendMessages>(operation.what).messages[0].partition_key = std::move(key);
    return operation;
  }
};

// Without one, each would take the partition whose turn it is.
TEST_F(TransactionPlanWithPartitionsTest, EveryMessageNeedsAKey) {  // TXN-19
  for (const std::optional<std::string>& none : {std::optional<std::string>(), {""}}) {
    EXPECT_EQ(Run({SendTo(none), SendTo(none)}).code(), ErrorCode::kInvalidOperation);
    EXPECT_EQ(Run({SendTo("red"), SendTo(none)}).code(), ErrorCode::kInvalidOperation);
    EXPECT_EQ(Run({SendTo(none)}).code(), ErrorCode::kInvalidOperation);
  }
  EXPECT_TRUE(changes_.empty());
}

TEST_F(TransactionPlanWithPartitionsTest, AllHaveTheSameKey) {  // TXN-19
  EXPECT_EQ(Run({SendTo("red"), SendTo("blue")}).code(), ErrorCode::kInvalidOperation);
  EXPECT_TRUE(changes_.empty());

  EXPECT_TRUE(Run({SendTo("red"), SendTo("red")}).ok());
}

class TransactionPlanWithIdsTest : public TransactionPlanTest {
 protected:
  TransactionPlanWithIdsTest() {
    QueueDescription detecting;
    detecting.name = "orders";
    detecting.requires_duplicate_detection = true;
    fixture_.Update(detecting);
  }
};

TEST_F(TransactionPlanWithIdsTest, ADuplicateWithinTheTransactionIsDropped) {  // DUP-4
  EXPECT_FALSE(Run({Send("a", "id"), Send("b", "id")}).ok());
  EXPECT_EQ(missing_.ids.at(EntityId(1)), std::vector<DuplicateId>({{"", "id"}, {"", "id"}}));

  found_.ids[EntityId(1)] = {};
  ASSERT_TRUE(Run({Send("a", "id"), Send("b", "id")}).ok());

  EXPECT_EQ(results_[1].sent, std::vector<SendOutcome>({{SequenceNumber(1), true}}));
}

TEST(TransactionIdTest, IsShortAndPrintable) {
  EXPECT_TRUE(CheckTransactionId("0b9c5a1e-53a4-4a8f-9d0c-0e8d1f7a2b3c").ok());
  EXPECT_TRUE(CheckTransactionId(std::string(128, 'x')).ok());
  for (const std::string& bad :
       {std::string(), std::string(129, 'x'), std::string("a b"), std::string("\n")}) {
    EXPECT_EQ(CheckTransactionId(bad).code(), ErrorCode::kArgumentError) << bad;
  }
}

}  // namespace
}  // namespace wharf
