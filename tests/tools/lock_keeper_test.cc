#include "tools/client/lock_keeper.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "tests/tools/fake_broker.h"
#include "tools/client/client.h"

namespace wharf::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortLock = 400ms;
const std::string kToken = FakeBroker::TokenOf(1);
const std::string kOther = FakeBroker::TokenOf(2);

LockKeeper::LockTokens Tokens(const std::string& token) {
  LockKeeper::LockTokens tokens;
  *tokens.Add() = token;
  return tokens;
}

class LockKeeperTest : public testing::Test {
 protected:
  FakeBroker broker_;
  Client client_{broker_.address()};
  std::optional<LockKeeper> keeper_{std::in_place, client_, "orders"};
};

TEST_F(LockKeeperTest, ALockIsRenewedAgainAndAgain) {  // LCK-3
  keeper_->Keep(kToken, kShortLock);

  EXPECT_TRUE(broker_.WaitForRenewals(kToken, 3));
}

TEST_F(LockKeeperTest, ALockIsRenewedBeforeHalfOfItIsOver) {
  const auto begin = std::chrono::steady_clock::now();
  keeper_->Keep(kToken, 60s);
  keeper_->Keep(kOther, 2s);

  ASSERT_TRUE(broker_.WaitForRenewals(kOther, 2));

  // Rounds of half a second: two renewals cannot come sooner.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_F(LockKeeperTest, WhatIsForgottenIsNotRenewed) {
  keeper_->Keep(kToken, kShortLock);
  keeper_->Keep(kOther, kShortLock);
  keeper_->Forget(Tokens(kToken));

  ASSERT_TRUE(broker_.WaitForRenewals(kOther, 3));

  EXPECT_EQ(broker_.renewals(kToken), 0);
}

TEST_F(LockKeeperTest, ALostLockIsNotRenewedAgain) {
  broker_.LoseLock(kToken);
  keeper_->Keep(kToken, kShortLock);
  keeper_->Keep(kOther, kShortLock);

  ASSERT_TRUE(broker_.WaitForRenewals(kOther, 4));

  EXPECT_EQ(broker_.renewals(kToken), 1);
}

TEST_F(LockKeeperTest, WhileTheBrokerIsAwayItIsTriedAgain) {
  broker_.Break();
  keeper_->Keep(kToken, kShortLock);
  broker_.Mend();

  EXPECT_TRUE(broker_.WaitForRenewals(kToken, 2));
}

TEST_F(LockKeeperTest, ManyLocksAreRenewedTogether) {
  for (int i = 1; i <= 10'000; ++i) keeper_->Keep(FakeBroker::TokenOf(i), kShortLock);

  EXPECT_TRUE(broker_.WaitForRenewals(FakeBroker::TokenOf(1), 1));
  EXPECT_TRUE(broker_.WaitForRenewals(FakeBroker::TokenOf(10'000), 1));
}

TEST_F(LockKeeperTest, AReceiverHasItsMessagesKeptUntilTheyAreSettled) {
  broker_.AddMessages(2);
  const auto receiver = client_.CreateReceiver("orders", {.keeper = &*keeper_});
  ASSERT_TRUE(broker_.WaitForRenewals(kToken, 1));  // Also before anyone takes it.

  v1::Settlement complete;
  complete.mutable_complete();
  complete.add_lock_tokens(kToken);
  receiver->Settle(std::move(complete), [](const Result<SettleReceipt>&) {});
  const int renewals = broker_.renewals(kToken);
  const int others = broker_.renewals(kOther);

  ASSERT_TRUE(broker_.WaitForRenewals(kOther, others + 3));
  EXPECT_LE(broker_.renewals(kToken), renewals + 1);  // One may have been on its way.
}

}  // namespace
}  // namespace wharf::client
