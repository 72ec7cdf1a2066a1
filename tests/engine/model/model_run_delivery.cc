// Sending, receiving, settling, renewing.

#include <iterator>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/model/model_run.h"

namespace wharf {
namespace {

using std::chrono::seconds;

}  // namespace

std::string ModelRun::AnyBody() {
  constexpr std::size_t kSizes[] = {0, 1, 10, 100, 4096, 4097, 300000};
  return fmt::format("{}:{}", ++bodies_, std::string(kSizes[Below(std::size(kSizes))], 'x'));
}

Message ModelRun::AnyMessage() {
  Message message;
  message.body = AnyBody();
  if (Below(3) == 0) message.time_to_live = seconds(1 + Below(60));
  if (Below(4) == 0) message.scheduled_enqueue_time = AnyTime();
  if (Below(2) == 0) message.message_id = fmt::format("id{}", Below(6));
  if (Below(2) == 0) {
    CarriedProperties carried;
    carried.priority = static_cast<std::uint32_t>(Below(10));
    message.carried = std::make_shared<const CarriedProperties>(carried);
  }
  message.partition_key = AnyPartitionKey();
  return message;
}

std::optional<std::string> ModelRun::AnyPartitionKey() {
  if (Below(2) == 0) return std::nullopt;
  return fmt::format("key{}", Below(5));
}

void ModelRun::Send() {
  std::vector<Message> messages(1 + Below(5));
  for (Message& message : messages) message = AnyMessage();
  const bool atomic = Below(2) == 0;
  // PAR-5.
  const std::string key = fmt::format("key{}", Below(5));
  for (Message& message : messages) {
    if (atomic && order_ == Order::kPartitions) message.partition_key = key;
  }
  const auto sent = messages;
  const Result<SendReceipt> receipt = engine_.Send("ORDERS", std::move(messages), atomic);
  if (!receipt.ok()) {
    ASSERT_TRUE(atomic) << receipt.status().ToString();
    EXPECT_EQ(receipt.status().code(), ErrorCode::kMessageSizeExceeded);
    return;
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    ASSERT_TRUE((*receipt)[i].ok());
    const ModelSent expected = model_->Send(sent[i], now());
    EXPECT_EQ((*receipt)[i]->number.value(), expected.number);
    EXPECT_EQ((*receipt)[i]->is_duplicate, expected.is_duplicate);
    if (!atomic) model_->PassTurn();
  }
  if (atomic) model_->PassTurn();
}

void ModelRun::Receive() {
  const LaneKind lane = AnyLane();
  const std::size_t count = 1 + Below(8);
  const bool is_delete = Below(5) == 0;
  const auto received = engine_.Receive(
      PathOf(lane), count, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock);
  ASSERT_TRUE(received.ok()) << received.status().ToString();
  // Fewer may come at a time, when the rest has to be read first; but never others, and never
  // none.
  const std::size_t available = model_->CountAvailable(lane);
  ASSERT_LE(received->size(), std::min(count, available));
  ASSERT_EQ(received->empty(), available == 0);
  for (const Delivered& delivered : *received) {
    const std::uint64_t number = delivered.message->number.value();
    ASSERT_THAT(model_->AllowedNext(lane), ::testing::Contains(number));
    model_->NoteDelivery(lane, number);
    TakeOne(delivered, lane, number, is_delete);
  }
}

void ModelRun::TakeOne(const Delivered& delivered, LaneKind lane, std::uint64_t number,
                       bool is_delete) {
  Check(delivered, *model_->Find(lane, number));
  if (is_delete) return model_->Remove(lane, number);
  model_->Lock(lane, number, delivered.token, delivered.until);
  EXPECT_EQ(delivered.until, now() + model_->description().lock_duration);
  tokens_.push_back({lane, delivered.token});
}

ModelRun::Remembered ModelRun::AnyToken() {
  if (tokens_.empty() || Below(10) == 0) return {AnyLane(), LockToken(Below(9), 7)};
  return tokens_[Below(tokens_.size())];
}

Settlement ModelRun::AnySettlement() {
  Settlement settlement;
  settlement.verb = static_cast<SettleVerb>(Below(5));
  const bool can_modify =
      settlement.verb != SettleVerb::kComplete && settlement.verb != SettleVerb::kRelease;
  if (can_modify && Below(2) == 0) {
    settlement.properties_to_modify = {
        {fmt::format("p{}", Below(3)), fmt::format("v{}", Below(9))}};
  }
  if (settlement.verb == SettleVerb::kDeadLetter && Below(2) == 0) settlement.reason = "because";
  if (settlement.verb == SettleVerb::kAbandon && Below(3) == 0) {
    settlement.delay = seconds(Below(50));
  }
  return settlement;
}

void ModelRun::Settle() {
  const Remembered remembered = AnyToken();
  const Settlement settlement = AnySettlement();
  const bool is_locked = model_->Locked(remembered.lane, remembered.token, now()) != nullptr;
  const bool works = model_->Settle(remembered.lane, remembered.token, settlement, now());
  const Status status = engine_.Settle(PathOf(remembered.lane), remembered.token, settlement);
  EXPECT_EQ(status.ok(), works) << status.ToString();
  if (works) return;
  EXPECT_EQ(status.code(), is_locked ? ErrorCode::kInvalidOperation : ErrorCode::kMessageLockLost);
}

void ModelRun::Renew() {
  const Remembered remembered = AnyToken();
  const bool works = model_->Renew(remembered.lane, remembered.token, now());
  const Result<Timestamp> until = engine_.RenewLock(PathOf(remembered.lane), remembered.token);
  EXPECT_EQ(until.ok(), works);
  if (until.ok()) {
    EXPECT_EQ(*until, now() + model_->description().lock_duration);
  }
}

}  // namespace wharf
