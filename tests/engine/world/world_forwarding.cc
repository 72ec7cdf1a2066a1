// How messages go on by themselves: FWD-1, FWD-7, FWD-9..15, FWD-18, SEQ-9, CNT-14, DUP-9.

#include "tests/engine/world/world_model.h"

namespace wharf {
namespace {

constexpr std::uint32_t kHopsMax = 4;

}  // namespace

const std::optional<std::string>& WorldModel::TargetOf(const ModelQueue& source, LaneKind lane) {
  return lane == LaneKind::kMain ? source.description().forward_to
                                 : source.description().forward_dead_lettered_messages_to;
}

// A dead letter that no target would take holds nobody back; one that waits for its target does.
std::optional<std::uint64_t> WorldModel::NextToForward(const ModelPath& lane) const {
  const ModelQueue& source = *Find(lane.entity);
  const std::optional<std::string>& target = TargetOf(source, lane.lane);
  if (!target) return std::nullopt;
  for (const auto& [number, message] : source.messages(lane.lane)) {
    if (!message.is_available()) continue;
    if (lane.lane == LaneKind::kMain) return number;
    if (message.hops >= kHopsMax) continue;
    return CanSend(*target) ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

void WorldModel::Forward(const ModelPath& lane, std::uint64_t number) {
  ModelQueue& source = *Edit(lane.entity);
  const std::string target = *TargetOf(source, lane.lane);
  ModelMessage message = *source.Find(lane.lane, number);
  if (message.hops >= kHopsMax) {
    return source.DeadLetter(number, "MaxTransferHopCountExceeded", kSomeText);
  }
  if (Find(target) == nullptr) {
    return source.DeadLetter(number, "MessagingEntityNotFoundException", kSomeText);
  }
  if (!CanSend(target)) {
    return source.DeadLetter(number, "MessagingEntityDisabledException", kSomeText);
  }
  if (lane.lane == LaneKind::kDeadLetter) message.dead_letter_source = lane.entity;
  if (message.enqueued_number == 0) message.enqueued_number = number;
  ++message.hops;
  message.delivery_count = 0;
  source.Remove(lane.lane, number);
  ModelQueue& entered = *Edit(target);
  const Timestamp time = message.scheduled_for.value_or(now_);
  entered.Enter(std::move(message), time, now_);
  entered.PassTurn();
  Publish(target);
}

}  // namespace wharf
