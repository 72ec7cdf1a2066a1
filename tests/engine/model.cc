#include "tests/engine/model.h"

#include <fmt/core.h>

namespace wharf {
namespace {

void SetProperties(ModelMessage& message, const PropertyMap& properties) {
  for (const auto& [name, value] : properties) {
    message.properties[name] = std::get<std::string>(value);
  }
}

}  // namespace

std::uint64_t ModelQueue::Send(const std::string& body) {
  ModelMessage message;
  message.number = next_number_++;
  message.body = body;
  main_.emplace(message.number, message);
  return message.number;
}

std::vector<std::uint64_t> ModelQueue::Available(LaneKind kind, std::size_t count) const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, message] : messages(kind)) {
    if (numbers.size() < count && !message.token) numbers.push_back(number);
  }
  return numbers;
}

void ModelQueue::Lock(LaneKind kind, std::uint64_t number, const LockToken& token,
                      Timestamp until) {
  Find(kind, number).token = token;
  Find(kind, number).until = until;
}

ModelMessage* ModelQueue::Locked(LaneKind kind, const LockToken& token, Timestamp now) {
  for (auto& [number, message] : lane(kind)) {
    if (message.token == token && now < message.until) return &message;
  }
  return nullptr;
}

bool ModelQueue::Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                        Timestamp now) {
  ModelMessage* message = Locked(kind, token, now);
  if (message == nullptr) return false;
  if (settlement.verb == SettleVerb::kDeadLetter && kind == LaneKind::kDeadLetter) return false;
  SetProperties(*message, settlement.properties_to_modify);
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      Remove(kind, message->number);
      break;
    case SettleVerb::kAbandon:
      Fail(kind, *message);
      break;
    case SettleVerb::kDeadLetter:
      DeadLetter(message->number, settlement.reason, settlement.description);
      break;
    case SettleVerb::kRelease:
      message->token.reset();
      break;
  }
  return true;
}

bool ModelQueue::Renew(LaneKind kind, const LockToken& token, Timestamp now) {
  ModelMessage* message = Locked(kind, token, now);
  if (message == nullptr) return false;
  message->until = now + description_.lock_duration;
  return true;
}

void ModelQueue::ExpireLocks(Timestamp now) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    std::vector<std::uint64_t> expired;
    for (auto& [number, message] : lane(kind)) {
      if (message.token && message.until <= now) expired.push_back(number);
    }
    for (const std::uint64_t number : expired) Fail(kind, Find(kind, number));
  }
}

// A delivery failed: MAX-2 in the queue itself, CNT-12 in its dead-letter queue.
void ModelQueue::Fail(LaneKind kind, ModelMessage& message) {
  message.token.reset();
  if (kind == LaneKind::kDeadLetter) return;
  ++message.delivery_count;
  if (message.delivery_count < static_cast<std::uint32_t>(description_.max_delivery_count)) return;
  DeadLetter(message.number, "MaxDeliveryCountExceeded",
             fmt::format("Message could not be consumed after {} delivery attempts.",
                         description_.max_delivery_count));
}

void ModelQueue::DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                            const std::optional<std::string>& description) {
  ModelMessage message = Find(LaneKind::kMain, number);
  message.token.reset();
  if (reason) message.properties["DeadLetterReason"] = *reason;
  if (description) message.properties["DeadLetterErrorDescription"] = *description;
  Remove(LaneKind::kMain, number);
  dead_letter_.emplace(number, message);
}

}  // namespace wharf
