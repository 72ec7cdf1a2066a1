// Messages that are named by their numbers: deferred, scheduled and single ones.

#include <gtest/gtest.h>

#include "tests/engine/model/model_run.h"

namespace wharf {

std::uint64_t ModelRun::AnyNumber() {
  const auto partition =
      static_cast<PartitionId>(order_ == Order::kPartitions ? Below(kPartitions) : 0);
  const std::uint64_t first = FirstNumberOf(partition).value() - 1;
  return first + Below(model_->next_number(partition) - first + 1);
}

std::vector<std::uint64_t> ModelRun::AnyNumbers() {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t count = 1 + Below(2); count > 0; --count) {
    const std::uint64_t number = AnyNumber();
    if (numbers.empty() || numbers.front() != number) numbers.push_back(number);
  }
  return numbers;
}

template <typename Map, typename IsMeant>
std::vector<std::uint64_t> ModelRun::OneOf(const Map& map, IsMeant is_meant) {
  std::vector<std::uint64_t> meant;
  for (const auto& [number, entry] : map) {
    if (is_meant(entry)) meant.push_back(number);
  }
  if (meant.empty() || Below(4) == 0) return AnyNumbers();
  return {meant[Below(meant.size())]};
}

std::vector<std::uint64_t> ModelRun::SomeDeferred(LaneKind lane) {
  return OneOf(model_->messages(lane),
               [](const ModelMessage& message) { return message.is_deferred; });
}

std::vector<std::uint64_t> ModelRun::SomeScheduled() {
  return OneOf(model_->scheduled(), [](const ModelScheduled&) { return true; });
}

void ModelRun::ReceiveDeferred() {
  const LaneKind lane = AnyLane();
  const auto numbers = SomeDeferred(lane);
  const bool is_delete = Below(4) == 0;
  const auto received = engine_.ReceiveDeferred(
      PathOf(lane), numbers, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock);
  ASSERT_EQ(received.ok(), model_->TakeDeferred(lane, numbers, now()));
  if (!received.ok()) {
    EXPECT_EQ(received.status().code(), ErrorCode::kMessageNotFound);
    return;
  }
  ASSERT_EQ(received->size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    TakeOne((*received)[i], lane, numbers[i], is_delete);
  }
}

void ModelRun::Undefer() {
  const LaneKind lane = AnyLane();
  const auto numbers = SomeDeferred(lane);
  const Status status = engine_.Undefer(PathOf(lane), numbers);
  EXPECT_EQ(status.ok(), model_->Undefer(lane, numbers, now())) << status.ToString();
}

void ModelRun::ReceiveOne() {
  const LaneKind lane = AnyLane();
  const auto number = OneOf(model_->messages(lane), [](const ModelMessage&) { return true; });
  const ModelMessage* expected = model_->Find(lane, number.front());
  const auto received = engine_.ReceiveOne(PathOf(lane), number.front());
  ASSERT_EQ(received.ok(), expected != nullptr && expected->is_waiting())
      << received.status().ToString();
  if (received.ok()) TakeOne(*received, lane, number.front(), false);
}

void ModelRun::SettleOne() {
  const LaneKind lane = AnyLane();
  const auto number = OneOf(model_->messages(lane), [](const ModelMessage&) { return true; });
  const bool dead_letters = Below(2) == 0;
  const ModelMessage* message = model_->Find(lane, number.front());
  const bool is_free = message != nullptr && !message->token;
  bool works = is_free;
  // One that has expired, though it is deferred, is no longer there (TTL-14).
  if (is_free && model_->TakeDeferred(lane, {}, now()) && message->expires_at <= now() &&
      lane == LaneKind::kMain) {
    works = false;
    EXPECT_FALSE(model_->TakeDeferred(lane, number, now()));
  }
  Settlement settlement{.verb = dead_letters ? SettleVerb::kDeadLetter : SettleVerb::kComplete};
  if (dead_letters) settlement.reason = "by number";
  if (works && dead_letters) works = model_->DeadLetterOne(lane, number.front(), "by number");
  if (works && !dead_letters) model_->Remove(lane, number.front());
  const Status status = engine_.SettleOne(PathOf(lane), number.front(), settlement);
  EXPECT_EQ(status.ok(), works) << status.ToString();
}

void ModelRun::CancelScheduled() {
  const auto numbers = SomeScheduled();
  const Status status = engine_.CancelScheduled("orders", numbers);
  EXPECT_EQ(status.ok(), model_->CancelScheduled(numbers)) << status.ToString();
}

void ModelRun::Reschedule() {
  const auto numbers = SomeScheduled();
  const Timestamp time = AnyTime();
  const Status status = engine_.Reschedule("orders", numbers, time);
  EXPECT_EQ(status.ok(), model_->Reschedule(numbers, time, now())) << status.ToString();
}

void ModelRun::Activate() {
  const auto numbers = SomeScheduled();
  const auto activated = engine_.ActivateScheduled("orders", numbers);
  ASSERT_EQ(activated.ok(), model_->Activate(numbers, now()));
  if (!activated.ok()) return;
  for (const SequenceNumber number : *activated) {
    EXPECT_NE(model_->Find(LaneKind::kMain, number.value()), nullptr) << number.value();
  }
}

}  // namespace wharf
