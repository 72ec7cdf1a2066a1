// Messages and where they are sent; scheduled ones.

#include <iterator>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/world/world_run.h"

namespace wharf {

std::string WorldRun::AnyName(bool (*is_meant)(EntityKind kind)) {
  std::vector<std::string> names;
  for (const auto& [name, entity] : worlds_.any().entities()) {
    if (is_meant(entity.kind) || OneIn(40)) names.push_back(name);
  }
  return OneOf(names.empty() ? Names() : names);
}

// A topic has no dead-letter queue.
ModelPath WorldRun::AnyPath() {
  const std::string name = AnyName(KeepsMessages);
  const bool is_dead = KindOf(name) != EntityKind::kTopic && OneIn(3);
  return {name, is_dead ? LaneKind::kDeadLetter : LaneKind::kMain};
}

Message WorldRun::AnyMessage() {
  constexpr std::size_t kSizes[] = {0, 0, 10, 300, 5000};
  Message message;
  message.body =
      fmt::format("{}:{}", ++bodies_, std::string(kSizes[Below(std::size(kSizes))], 'x'));
  if (OneIn(4)) message.time_to_live = AnySeconds(5, 60);
  if (OneIn(5)) {
    message.scheduled_enqueue_time = now() + AnySeconds(0, 60) - std::chrono::seconds(10);
  }
  if (OneIn(2)) message.message_id = fmt::format("id{}", Below(3));
  if (!OneIn(3))
    message.application_properties = {{"color", std::string(OneIn(2) ? "red" : "blue")}};
  if (OneIn(2)) {
    CarriedProperties carried;
    carried.priority = static_cast<std::uint32_t>(Below(10));
    message.carried = std::make_shared<const CarriedProperties>(carried);
  }
  // Always: a crash forgets whose turn it is of those without, and when it came nobody sees.
  message.partition_key = fmt::format("key{}", Below(5));
  return message;
}

void WorldRun::Send() {
  const std::string name = AnyName(TakesMessages);
  std::vector<Message> messages(1 + Below(3));
  for (Message& message : messages) message = AnyMessage();
  const bool atomic = OneIn(2);
  // PAR-5.
  for (Message& message : messages) {
    if (atomic) message.partition_key = "key1";
  }
  Ask<SendReceipt>(
      fmt::format("send {} to {} up to '{:.8}'", messages.size(), name, messages.back().body),
      At(name),
      [&](Broker& broker, Answer<SendReceipt> answer) {
        broker.Send(name, messages, atomic, std::move(answer));
      },
      [name, messages, atomic](WorldModel& world, const Result<SendReceipt>* answer) {
        const auto sent = world.Send(name, messages, atomic);
        if (!Agrees(answer, sent.has_value())) return false;
        for (std::size_t i = 0; answer != nullptr && sent && i < messages.size(); ++i) {
          const Result<SendOutcome>& outcome = (**answer)[i];
          if (!outcome.ok() || !Became(*outcome, (*sent)[i])) return false;
        }
        return true;
      });
}

std::uint64_t WorldRun::AnyNumber(const ModelPath& path, bool (*is_meant)(const ModelMessage&)) {
  std::vector<std::uint64_t> meant;
  const ModelQueue* queue = worlds_.any().Find(path.entity);
  if (queue == nullptr) return 0;
  for (const auto& [number, message] : queue->messages(path.lane)) {
    if (is_meant(message)) meant.push_back(number);
  }
  return meant.empty() ? 0 : OneOf(meant);
}

std::uint64_t WorldRun::AnyScheduled(const std::string& name) {
  std::vector<std::uint64_t> numbers;
  const ModelQueue* queue = worlds_.any().Find(name);
  if (queue == nullptr) return 0;
  for (const auto& [number, waiting] : queue->scheduled()) {
    numbers.push_back(number);
  }
  return numbers.empty() ? 0 : OneOf(numbers);
}

void WorldRun::ChangeScheduled() {
  const std::string name = AnyName(TakesMessages);
  const std::uint64_t number = AnyScheduled(name);
  if (number == 0) return;
  const Timestamp time = now() + AnySeconds(0, 40) - std::chrono::seconds(10);
  if (OneIn(3)) {
    return Ask<std::monostate>(
        fmt::format("cancel the scheduled {} of {}", number, name), At(name),
        [&](Broker& broker, Answer<std::monostate> answer) {
          broker.CancelScheduled(name, {SequenceNumber(number)}, std::move(answer));
        },
        [=](WorldModel& world, const Result<std::monostate>* answer) {
          return Agrees(answer, world.CancelScheduled(name, number));
        });
  }
  if (OneIn(3)) {
    return Ask<Broker::Numbers>(
        fmt::format("activate the scheduled {} of {}", number, name), At(name),
        [&](Broker& broker, Answer<Broker::Numbers> answer) {
          broker.ActivateScheduled(name, {SequenceNumber(number)}, std::move(answer));
        },
        [=](WorldModel& world, const Result<Broker::Numbers>* answer) {
          return Agrees(answer, world.Activate(name, number));
        });
  }
  Ask<std::monostate>(
      fmt::format("reschedule {} of {}", number, name), At(name),
      [&](Broker& broker, Answer<std::monostate> answer) {
        broker.Reschedule(name, {SequenceNumber(number)}, time, std::move(answer));
      },
      [=](WorldModel& world, const Result<std::monostate>* answer) {
        return Agrees(answer, world.Reschedule(name, number, time));
      });
}

}  // namespace wharf
