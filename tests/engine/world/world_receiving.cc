// Receivers, and what they do with what they got.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/model/model_look.h"
#include "tests/engine/world/world_receiver.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr std::size_t kReceiversMax = 5;

}  // namespace

// Mostly a lane that has something.
ModelPath WorldRun::AnyReceivable() {
  ModelPath path = AnyPath();
  for (int tries = 0; tries < 10 && worlds_.any().CountAvailable(path) == 0; ++tries) {
    path = AnyPath();
  }
  return path;
}

void WorldRun::Attach() {
  std::erase_if(receivers_, [](const auto& receiver) { return !receiver->is_attached(); });
  if (receivers_.size() >= kReceiversMax) {
    const auto leaving = receivers_[Below(receivers_.size())];
    // What was on its way to it would go back unheard.
    CheckAccounts();
    engine_.broker().Detach(leaving->id());
    engine_.Run();
    std::erase(receivers_, leaving);
  }
  const ModelPath path = AnyReceivable();
  // After a crash it must be clear what somebody took who did not lock it.
  const ModelQueue* queue = worlds_.any().Find(path.entity);
  const bool is_plain = queue != nullptr && !queue->description().enable_partitioning &&
                        !queue->description().enable_priority;
  const auto mode = is_plain && OneIn(4) ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock;
  auto receiver = std::make_shared<Receiver>(*this, path, mode);
  Ask<AttachedReceiver>(
      "attach to " + path.text(), {path.entity},
      [&](Broker& broker, Answer<AttachedReceiver> answer) {
        broker.Attach({.path = receiver->path().text(), .mode = mode}, receiver, std::move(answer));
      },
      [path](WorldModel& world, const Result<AttachedReceiver>* answer) {
        return Agrees(answer, world.CanReceive(path));
      },
      [this, receiver](const Result<AttachedReceiver>& answer) {
        if (!answer.ok()) return;
        receiver->OnAttached(answer->id);
        receivers_.push_back(receiver);
      });
}

void WorldRun::Grant() {
  if (receivers_.empty()) return;
  Receiver& receiver = *OneOf(receivers_);
  if (!receiver.is_attached()) return;
  const std::uint64_t messages =
      receiver.mode() == ReceiveMode::kPeekLock ? 1 + Below(3) : receiver.credit() == 0;
  receiver.NoteGranted(messages);
  Note(fmt::format("granted {} at {}", messages, receiver.path().text()));
  engine_.broker().Grant(receiver.id(), Credit{messages, std::nullopt});
}

void WorldRun::Drain() {
  if (receivers_.empty()) return;
  const Receiver& receiver = *OneOf(receivers_);
  if (receiver.is_attached()) engine_.broker().Drain(receiver.id());
}

bool WorldRun::IsDelivered(const Delivered& delivered, const Receiver& receiver,
                           WorldModel& world) {
  const ModelPath& path = receiver.path();
  const ModelQueue* queue = world.Find(path.entity);
  if (queue == nullptr) return false;
  const std::uint64_t number = delivered.message->number.value();
  const auto found = queue->messages(path.lane).find(number);
  if (found == queue->messages(path.lane).end()) return false;
  if (!DifferenceOf(*delivered.message, delivered.delivery, found->second).empty()) return false;
  if (receiver.mode() == ReceiveMode::kReceiveAndDelete) {
    return world.Deliver(path, number, std::nullopt);
  }
  const bool is_in_time = delivered.until == world.now() + queue->description().lock_duration;
  return is_in_time && world.Deliver(path, number, delivered.token);
}

void WorldRun::TakeDeliveries(const Receiver& receiver, const std::vector<Delivered>& deliveries) {
  told_ = now();
  for (const Delivered& each : deliveries) {
    const bool is_locked = receiver.mode() == ReceiveMode::kPeekLock;
    const std::uint64_t number = each.message->number.value();
    Explain(fmt::format("delivered {} from {}", number, receiver.path().text()),
            {{receiver.path().entity},
             [&](WorldModel& world) { return IsDelivered(each, receiver, world); }});
    if (is_locked) held_.push_back({receiver.path(), each.token});
  }
}

// There was no more (STA-5).
void WorldRun::TakeDrained(const Receiver& receiver, std::uint64_t left) {
  Explain(fmt::format("drained at {} with {} left", receiver.path().text(), left),
          {{receiver.path().entity}, [&](WorldModel& world) {
             return left == 0 || world.CountAvailable(receiver.path()) == 0;
           }});
}

WorldRun::Held WorldRun::AnyHeld() {
  if (held_.empty() || OneIn(20)) return {AnyPath(), LockToken(Below(9), 7)};
  // Mostly one of the last.
  const std::size_t among = OneIn(4) ? held_.size() : std::min<std::size_t>(held_.size(), 6);
  return held_[held_.size() - 1 - Below(among)];
}

Settlement WorldRun::AnySettlement() {
  Settlement settlement;
  const SettleVerb verbs[] = {
      SettleVerb::kComplete,   SettleVerb::kAbandon, SettleVerb::kAbandon, SettleVerb::kDeadLetter,
      SettleVerb::kDeadLetter, SettleVerb::kRelease, SettleVerb::kDefer};
  settlement.verb = verbs[Below(std::size(verbs))];
  const bool can_modify =
      settlement.verb != SettleVerb::kComplete && settlement.verb != SettleVerb::kRelease;
  if (can_modify && OneIn(3)) settlement.properties_to_modify = {{"color", std::string("red")}};
  if (settlement.verb == SettleVerb::kDeadLetter && OneIn(2)) settlement.reason = "because";
  if (settlement.verb == SettleVerb::kAbandon && OneIn(4)) settlement.delay = AnySeconds(0, 30);
  return settlement;
}

void WorldRun::Settle() {
  const Held held = AnyHeld();
  const Settlement settlement = AnySettlement();
  Ask<SettleReceipt>(
      fmt::format("settle ({}) at {}", static_cast<int>(settlement.verb), held.path.text()),
      {held.path.entity},
      [&](Broker& broker, Answer<SettleReceipt> answer) {
        broker.Settle(held.path.text(), {held.token}, settlement, std::move(answer));
      },
      [held, settlement](WorldModel& world, const Result<SettleReceipt>* answer) {
        const bool works = world.Settle(held.path, held.token, settlement);
        return answer == nullptr || (answer->ok() && (*answer)->front().ok()) == works;
      });
}

void WorldRun::Renew() {
  const Held held = AnyHeld();
  Ask<RenewReceipt>(
      "renew a lock at " + held.path.text(), {held.path.entity},
      [&](Broker& broker, Answer<RenewReceipt> answer) {
        broker.RenewLock(held.path.text(), {held.token}, std::move(answer));
      },
      [held](WorldModel& world, const Result<RenewReceipt>* answer) {
        const bool works = world.Renew(held.path, held.token);
        return answer == nullptr || (answer->ok() && (*answer)->front().ok()) == works;
      });
}

void WorldRun::ReceiveDeferred() {
  const ModelPath path = AnyPath();
  const std::uint64_t number =
      AnyNumber(path, [](const ModelMessage& message) { return message.is_deferred; });
  if (number == 0) return;
  Ask<std::vector<Delivered>>(
      fmt::format("receive the deferred {} from {}", number, path.text()), {path.entity},
      [&](Broker& broker, Answer<std::vector<Delivered>> answer) {
        broker.ReceiveDeferred({.path = path.text()}, {SequenceNumber(number)}, std::move(answer));
      },
      [path, number](WorldModel& world, const Result<std::vector<Delivered>>* answer) {
        // Without an answer the lock shows whether it was received. One that had expired left none.
        if (answer == nullptr) {
          WorldModel refused = world;
          if (!refused.ReceiveDeferred(path, number, LockToken())) world = std::move(refused);
          return true;
        }
        const LockToken token = answer->ok() ? (*answer)->front().token : LockToken();
        return Agrees(answer, world.ReceiveDeferred(path, number, token));
      },
      [this, path](const Result<std::vector<Delivered>>& answer) {
        if (answer.ok()) held_.push_back({path, answer->front().token});
      });
}

void WorldRun::Undefer() {
  const ModelPath path = AnyPath();
  const std::uint64_t number =
      AnyNumber(path, [](const ModelMessage& message) { return message.is_deferred; });
  if (number == 0) return;
  Ask<std::monostate>(
      fmt::format("undefer {} of {}", number, path.text()), {path.entity},
      [&](Broker& broker, Answer<std::monostate> answer) {
        broker.Undefer(path.text(), {SequenceNumber(number)}, std::move(answer));
      },
      [path, number](WorldModel& world, const Result<std::monostate>* answer) {
        return Agrees(answer, world.Undefer(path, number));
      });
}

}  // namespace wharf
