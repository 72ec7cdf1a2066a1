#include "tools/client/reconnecting_receiver.h"

#include <optional>

#include <gmock/gmock.h>

#include "tests/tools/fake_broker.h"

namespace wharf::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

v1::Settlement Complete(std::int64_t number) {
  v1::Settlement settlement;
  settlement.mutable_complete();
  settlement.add_lock_tokens(FakeBroker::TokenOf(number));
  return settlement;
}

class ReconnectingReceiverTest : public testing::Test {
 protected:
  // Whose broker is there again as soon as it is missed.
  ReconnectingReceiver& NewReceiver(Receiver::Options options = {}, Duration patience = 30s) {
    return receiver_.emplace(client_, "orders", std::move(options),
                             ReconnectOptions{.patience = patience,
                                              .on_lost = [this](const Status&) { broker_.Mend(); },
                                              .on_back = nullptr},
                             Receiver::SessionCallbacks());
  }

  // The numbers of the messages that come until there are `count`.
  std::vector<std::int64_t> Take(std::size_t count) {
    std::vector<std::int64_t> numbers;
    while (numbers.size() < count) {
      const auto messages = receiver_->Receive(count - numbers.size(), 100ms);
      if (!messages.ok()) break;
      for (const auto& message : *messages) numbers.push_back(message.sequence_number());
    }
    return numbers;
  }

  // Notes the result; read after Flush.
  Receiver::SettleCallback Note() {
    return [this](Result<SettleReceipt> receipt) { receipts_.push_back(std::move(receipt)); };
  }

  FakeBroker broker_;
  Client client_{broker_.address()};
  std::vector<Result<SettleReceipt>> receipts_;
  std::optional<ReconnectingReceiver> receiver_;
};

TEST_F(ReconnectingReceiverTest, MessagesComeAlsoAfterTheConnectionBroke) {
  broker_.AddMessages(1);
  NewReceiver();
  EXPECT_THAT(Take(1), ElementsAre(1));

  broker_.Break();
  broker_.AddMessages(2);

  EXPECT_THAT(Take(2), ElementsAre(2, 3));
}

TEST_F(ReconnectingReceiverTest, TheLimitHoldsForAllConnectionsTogether) {
  broker_.AddMessages(2);
  NewReceiver({.messages_max = 5});
  EXPECT_EQ(Take(2).size(), 2U);

  broker_.Break();
  broker_.AddMessages(10);

  EXPECT_THAT(Take(3), ElementsAre(3, 4, 5));
  const auto more = receiver_->Receive(1, 0s);
  ASSERT_TRUE(more.ok());
  EXPECT_TRUE(more->empty());
}

TEST_F(ReconnectingReceiverTest, ASettlementThatWasCutOffIsRepeated) {  // LCK-7, LCK-11
  broker_.AddMessages(1);
  broker_.HoldSettlements();
  ReconnectingReceiver& receiver = NewReceiver();
  Take(1);
  receiver.Settle(Complete(1), Note());
  broker_.WaitForReceive(3);

  broker_.Break();

  ASSERT_TRUE(receiver.Flush().ok());
  EXPECT_EQ(broker_.WaitForSettle(1).settlement().lock_tokens(0), FakeBroker::TokenOf(1));
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_EQ(receipts_[0]->settled_count, 1U);
  EXPECT_EQ(receipts_[0]->presumed_count, 0U);
}

TEST_F(ReconnectingReceiverTest, ACutOffSettlementWhoseLockIsGoneIsPresumed) {
  broker_.AddMessages(1);
  broker_.HoldSettlements();
  ReconnectingReceiver& receiver = NewReceiver();
  Take(1);
  receiver.Settle(Complete(1), Note());
  broker_.WaitForReceive(3);
  broker_.LoseLock(FakeBroker::TokenOf(1));

  broker_.Break();

  ASSERT_TRUE(receiver.Flush().ok());
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_EQ(receipts_[0]->presumed_count, 1U);
  EXPECT_TRUE(receipts_[0]->failures.empty());
}

TEST_F(ReconnectingReceiverTest, WithoutPatienceALossIsTheEnd) {
  ReconnectingReceiver& receiver = NewReceiver({}, 0s);
  broker_.WaitForReceive(2);

  broker_.Break();

  EXPECT_FALSE(receiver.Receive(1, kUnlimited).ok());
}

TEST_F(ReconnectingReceiverTest, WhenNobodyWaitsForTheBrokerTheOutcomeStaysUnknown) {
  broker_.AddMessages(1);
  broker_.HoldSettlements();
  ReconnectingReceiver& receiver = NewReceiver();
  Take(1);
  receiver.Settle(Complete(1), Note());
  broker_.WaitForReceive(3);

  receiver.Interrupt();
  broker_.Break();

  EXPECT_FALSE(receiver.Flush().ok());
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_EQ(receipts_[0].status().outcome(), Outcome::kUnknown);
}

}  // namespace
}  // namespace wharf::client
