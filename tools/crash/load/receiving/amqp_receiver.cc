#include "tools/crash/load/receiving/amqp_receiver.h"

#include <algorithm>

#include "tools/crash/load/receiving/fate.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(50);
constexpr std::uint64_t kLeavesPercent = 10;

Source DrawSource(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 15) return {.queue = queues.drops};
  Source source{.queue = lot < 60 ? queues.orders : queues.retries};
  if (lot >= 90) source.queue = queues.relays;
  if (dice.Chance(20)) source.lane = Lane::kDeadLetter;
  return source;
}

}  // namespace

void AmqpReceiver::Run(Life& life, Dice& dice) {
  while (!life.progress.is_over()) {
    const auto client = RecordedAmqp::Dial(life);
    if (client == nullptr) return;
    while (!life.progress.is_over() && RunLink(life, *client, dice)) {
    }
  }
}

bool AmqpReceiver::RunLink(Life& life, RecordedAmqp& client, Dice& dice) {
  const Source source = DrawSource(life.queues, dice);
  const Mode mode = source.queue == life.queues.drops ? Mode::kReceiveAndDelete : Mode::kPeekLock;
  auto receiving = client.Receive(source, mode, static_cast<std::uint32_t>(dice.Between(1, 32)));
  if (!receiving.ok()) return !IsGone(receiving.status());
  Status status;
  for (std::uint64_t left = dice.Between(1, 60); status.ok() && left > 0; --left) {
    const auto got = client.Next(*receiving, kPatience);
    status = got.status();
    if (!status.ok()) break;
    if (*got) Decide(life, client, *receiving, **got, dice);
    if (!*got) left -= std::min<std::uint64_t>(left - 1, 10);
  }
  if (status.ok()) status = client.AwaitAnswers();
  if (status.ok() && dice.Chance(kLeavesPercent)) {
    client.Leave(*receiving);
    return false;
  }
  if (status.ok()) status = Finish(life, client, *receiving, dice);
  client.End(*receiving, status);
  return !IsGone(status);
}

Status AmqpReceiver::Finish(Life& life, RecordedAmqp& client, RecordedAmqp::Receiving& receiving,
                            Dice& dice) {
  const auto rest = client.Finish(receiving);
  if (!rest.ok()) return rest.status();
  for (const RecordedAmqp::Got& got : *rest) Decide(life, client, receiving, got, dice);
  return client.AwaitAnswers();
}

void AmqpReceiver::Decide(Life& life, RecordedAmqp& client,
                          const RecordedAmqp::Receiving& receiving, const RecordedAmqp::Got& got,
                          Dice& dice) {
  if (got.record.mode == Mode::kReceiveAndDelete) return;
  const Fate fate = DrawFate(got.record, dice);
  if (fate == Fate::kHold) life.held_locks.Hold({got.record.source, got.record.token});
  if (fate == Fate::kHold || fate == Fate::kForget) return;
  client.Settle(receiving, got, SettlingFor(fate, dice));
}

}  // namespace wharf::crash
