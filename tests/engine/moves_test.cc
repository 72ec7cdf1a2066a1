// Messages that move are carried in full, so they move a bounded number at a time.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr std::size_t kMessages = 2000;
// All steps that may be under way together.
constexpr std::size_t kMovedPerTurnMax = 4 * MoveLine::kMessagesPerStep;

class MovesTest : public ReceiverFixture {
 protected:
  // Locks them all.
  TokenList LockMessages(std::size_t count) {
    const auto received = engine_.Receive("orders", count);
    TokenList tokens;
    for (const Delivered& delivered : *received) {
      tokens.emplace_back(delivered.token);
    }
    EXPECT_EQ(tokens.size(), count);
    return tokens;
  }

  void DeadLetter(const TokenList& tokens, Pending<SettleReceipt>& settled) {
    broker().Settle("orders", tokens, {.verb = SettleVerb::kDeadLetter}, settled.answer());
  }

  std::size_t MovedInOneTurn() const {
    std::size_t most = 0;
    for (const Changes& changes : turns_.turns) {
      most = std::max(most, TurnRecorder::CountIn<MessageDeadLettered>(changes));
    }
    return most;
  }

  LaneCounters DeadLetterQueue() { return engine_.GetQueue("orders")->dead_letter; }
};

TEST_F(MovesTest, ALongRequestMovesInStepsAndAnswersInOrder) {
  Send(kMessages);
  TokenList tokens = LockMessages(kMessages);
  tokens[1] = LockToken(1, 1);
  tokens[700] = tokens[2];
  Pending<SettleReceipt> settled;

  DeadLetter(tokens, settled);
  engine_.Run();

  ASSERT_TRUE(settled.result && settled.result->ok());
  const SettleReceipt& receipt = **settled.result;
  ASSERT_EQ(receipt.size(), kMessages);
  for (std::size_t i = 0; i < kMessages; ++i) {
    const bool is_lost = i == 1 || i == 700;
    EXPECT_EQ(receipt[i].code(), is_lost ? ErrorCode::kMessageLockLost : ErrorCode::kOk) << i;
  }
  EXPECT_EQ(DeadLetterQueue().messages(), static_cast<std::int64_t>(kMessages - 2));
  EXPECT_LE(MovedInOneTurn(), kMovedPerTurnMax);
}

TEST_F(MovesTest, ManyRequestsStandInLine) {
  Send(kMessages);
  const TokenList tokens = LockMessages(kMessages);
  std::vector<Pending<SettleReceipt>> settled(kMessages / 100);

  for (std::size_t i = 0; i < settled.size(); ++i) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i * 100);
    DeadLetter(TokenList(first, first + 100), settled[i]);
  }
  engine_.Run();

  for (const auto& one : settled) {
    ASSERT_TRUE(one.result && one.result->ok());
    for (const Status& status : **one.result) EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(DeadLetterQueue().messages(), static_cast<std::int64_t>(kMessages));
  EXPECT_LE(MovedInOneTurn(), 4 * 100U);
}

TEST_F(MovesTest, LocksThatEndTogetherMoveInSteps) {  // MAX-2, LCK-12
  QueueDescription queue;
  queue.name = "orders";
  queue.lock_duration = seconds(30);
  queue.max_delivery_count = 1;
  ASSERT_TRUE(engine_.UpdateQueue(queue).ok());
  Send(kMessages);
  LockMessages(kMessages);

  engine_.Advance(seconds(31));
  engine_.Run();

  EXPECT_EQ(DeadLetterQueue().messages(), static_cast<std::int64_t>(kMessages));
  EXPECT_LE(MovedInOneTurn(), kMovedPerTurnMax);
}

TEST_F(MovesTest, AQueueDeletedMeanwhileFreesTheLine) {
  Send(kMessages);
  Pending<SettleReceipt> settled;
  DeadLetter(LockMessages(kMessages), settled);
  Pending<std::monostate> deleted;
  broker().DeleteQueue("orders", deleted.answer());
  engine_.Run();
  ASSERT_TRUE(settled.result && deleted.result && deleted.result->ok());
  EXPECT_EQ(settled.result->status().code(), ErrorCode::kMessagingEntityNotFound);

  QueueDescription queue;
  queue.name = "orders";
  ASSERT_TRUE(engine_.CreateQueue(queue).ok());
  Send(1);

  EXPECT_TRUE(engine_.DeadLetter("orders", (*engine_.Receive("orders")).front().token).ok());
}

TEST_F(MovesTest, AfterALogThatClosedHalfwayTheOutcomeIsUnknown) {  // reliability 18
  Send(kMessages);
  Pending<SettleReceipt> settled;
  const TokenList tokens = LockMessages(kMessages);
  engine_.memory_log().Hold();
  DeadLetter(tokens, settled);
  engine_.Run();
  ASSERT_FALSE(settled.result);

  engine_.memory_log().Close(
      Status(ErrorCode::kServiceCommunicationProblem, "the disk is gone", Outcome::kUnknown));
  engine_.Run();

  ASSERT_TRUE(settled.result);
  EXPECT_EQ(settled.result->status().outcome(), Outcome::kUnknown);
}

}  // namespace
}  // namespace wharf
