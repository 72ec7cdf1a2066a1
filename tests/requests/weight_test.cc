#include "broker/requests/weight.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

Message OfBytes(std::size_t bytes) {
  Message message;
  message.body = std::string(bytes, 'x');
  return message;
}

TEST(WeightTest, AMessageWeighsOneForEach2KiB) {
  EXPECT_EQ(WeightOf(SendRequest{.messages = {OfBytes(1), OfBytes(1)}}), 2U);
  EXPECT_EQ(WeightOf(SendRequest{.messages = {OfBytes(2049)}}), 2U);
  EXPECT_EQ(WeightOf(SendRequest{.messages = {OfBytes(1024 * 1024)}}), 512U);
}

TEST(WeightTest, TokensAndNumbersWeighWhatTheyTake) {
  const TokenList tokens(kItemsMax, LockToken(1, 1));
  EXPECT_GT(WeightOf(SettleRequest{.tokens = tokens}), 64U);
  EXPECT_EQ(WeightOf(SettleRequest{.tokens = {LockToken(1, 1)}}), 1U);

  const Numbers numbers(kItemsMax, SequenceNumber(1));
  EXPECT_GT(WeightOf(ReceiveDeferredRequest{.numbers = numbers}), 128U);
  EXPECT_GT(WeightOf(UndeferRequest{.numbers = numbers}), 128U);
  EXPECT_GT(WeightOf(CancelScheduledRequest{.numbers = numbers}), 128U);
  EXPECT_GT(WeightOf(RescheduleRequest{.numbers = numbers}), 128U);
  EXPECT_GT(WeightOf(ActivateScheduledRequest{.numbers = numbers}), 128U);
}

TEST(WeightTest, AStateWeighsItsBytesAndTokens) {
  EXPECT_EQ(WeightOf(SetSessionStateRequest{}), 1U);
  EXPECT_EQ(WeightOf(SetSessionStateRequest{.state = std::string(1024 * 1024, 'x')}), 512U);
  const TokenList tokens(kItemsMax, LockToken(1, 1));
  EXPECT_GT(WeightOf(SetSessionStateRequest{.completed = tokens}), 64U);
}

TEST(WeightTest, ATransactionWeighsWhatItsOperationsDo) {
  Operation send{"orders", SendMessages{{OfBytes(1024 * 1024), OfBytes(1)}}};
  EXPECT_GE(WeightOf(RunTransactionRequest{.operations = {send, send}}), 1024U);
  EXPECT_GE(WeightOf(AddToTransactionRequest{.operation = send}), 512U);
  EXPECT_EQ(WeightOf(AddToTransactionRequest{.operation = Status(ErrorCode::kArgumentError, "")}),
            1U);
}

TEST(WeightTest, OnlyWhoSettlesOrRenewsHasTheShareThatMakesRoom) {
  EXPECT_EQ(ShareOf(SettleRequest()), Share::kSettling);
  EXPECT_EQ(ShareOf(RenewLockRequest()), Share::kSettling);
  EXPECT_EQ(ShareOf(SendRequest()), Share::kOrdinary);
  EXPECT_EQ(ShareOf(ReceiveDeferredRequest()), Share::kOrdinary);
}

}  // namespace
}  // namespace wharf
