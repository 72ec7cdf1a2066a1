#include "broker/requests/check.h"

#include <chrono>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::minutes;

constexpr std::size_t kTooMany = kItemsMax + 1;

TEST(CheckTest, ARequestHoldsOneTo4500Items) {
  EXPECT_EQ(Check(SendRequest()).code(), ErrorCode::kArgumentError);
  EXPECT_TRUE(Check(SendRequest{.messages = std::vector<Message>(kItemsMax)}).ok());
  EXPECT_EQ(Check(SendRequest{.messages = std::vector<Message>(kTooMany)}).code(),
            ErrorCode::kArgumentOutOfRange);

  const TokenList tokens(kTooMany, LockToken(1, 1));
  EXPECT_EQ(Check(SettleRequest()).code(), ErrorCode::kArgumentError);
  EXPECT_EQ(Check(SettleRequest{.tokens = tokens}).code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(RenewLockRequest{.tokens = tokens}).code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(SetSessionStateRequest{.completed = tokens}).code(),
            ErrorCode::kArgumentOutOfRange);

  const Numbers numbers(kTooMany, SequenceNumber(1));
  EXPECT_EQ(Check(ReceiveDeferredRequest{.numbers = numbers}).code(),
            ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(CancelScheduledRequest{.numbers = numbers}).code(),
            ErrorCode::kArgumentOutOfRange);
}

TEST(CheckTest, AStateThatCompletesWhatIsNoTokenIsRefusedAsAWhole) {
  const TokenList tokens = {LockToken(1, 1), Status(ErrorCode::kArgumentError, "no token")};

  EXPECT_EQ(Check(SetSessionStateRequest{.completed = tokens}).code(), ErrorCode::kArgumentError);
}

TEST(CheckTest, AWaitIsNotNegativeAndAtMostFiveMinutes) {
  EXPECT_TRUE(Check(ReceiveRequest{.wait = minutes(5)}).ok());
  EXPECT_EQ(Check(ReceiveRequest{.wait = minutes(6)}).code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(ReceiveRequest{.wait = minutes(-1)}).code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(AcceptSessionRequest{.choice = {std::nullopt, minutes(6)}}).code(),
            ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(AttachRequest{.session = SessionChoice{std::nullopt, minutes(6)}}).code(),
            ErrorCode::kArgumentOutOfRange);
}

TEST(CheckTest, ACallThatReceivesWantsAMessage) {
  EXPECT_EQ(Check(ReceiveRequest{.messages_max = 0}).code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(ReceiveRequest{.messages_max = kTooMany}).code(), ErrorCode::kArgumentOutOfRange);
}

// BDL-3
TEST(CheckTest, ADeletionIsOf4000AtMost) {
  EXPECT_TRUE(Check(DeleteOldestRequest{.messages_max = 4000}).ok());
  EXPECT_EQ(Check(DeleteOldestRequest{.messages_max = 4001}).code(),
            ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Check(DeleteOldestRequest{.messages_max = 0}).code(), ErrorCode::kArgumentOutOfRange);
}

TEST(CheckTest, ATransactionIdIsLookedAt) {
  EXPECT_FALSE(Check(BeginTransactionRequest{.id = TransactionId()}).ok());
  EXPECT_FALSE(Check(GetTransactionRequest()).ok());
  EXPECT_TRUE(Check(BeginTransactionRequest()).ok());
}

}  // namespace
}  // namespace wharf
