#include "tools/crash/load/queue_changer.h"

#include <fmt/core.h>

namespace wharf::crash {
namespace {

constexpr std::uint64_t kNames = 2;

}  // namespace

void QueueChanger::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status = Resolve(client);
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 10))) {
    status = Step(life, client, dice);
  }
}

Status QueueChanger::Resolve(RecordedClient& client) {
  if (is_certain_) return {};
  const Status found = client.LookAtQueue(*queue_);
  if (IsGone(found)) return found;
  is_certain_ = true;
  if (!found.ok()) queue_.reset();
  return {};
}

Status QueueChanger::Step(Life& life, RecordedClient& client, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 10) return client.UpdateQueue(life.queues.orders, ++version_);
  if (lot < 20) return client.LookAtQueue(life.queues.orders);
  if (!queue_) return Create(life, client, dice);
  return lot < 40 ? Delete(client) : Use(life, client, dice);
}

Status QueueChanger::Create(Life& life, RecordedClient& client, Dice& dice) {
  queue_ = life.recorder.AddQueue({.name = fmt::format("changing-{}", dice.Below(kNames)),
                                   .lock_duration = std::chrono::seconds(5)});
  const Status created = client.CreateQueue(*queue_);
  is_certain_ = !IsGone(created);
  if (is_certain_ && !created.ok()) queue_.reset();
  return created;
}

Status QueueChanger::Use(Life& life, RecordedClient& client, Dice& dice) {
  if (dice.Chance(60)) return client.Send(*queue_, {messages_.Make(dice)}, false);
  const Source source{.queue = *queue_};
  const auto received = client.Receive(source, Mode::kPeekLock, 3, Duration(0));
  if (!received.ok() || received->empty()) return received.status();
  std::vector<std::string> tokens;
  for (const DeliveryRecord& delivery : *received) tokens.push_back(delivery.token);
  std::vector<std::string> unsettled;
  const Settling settling{.verb = dice.Chance(70) ? Verb::kComplete : Verb::kDeadLetter};
  const Status settled = client.Settle(source, tokens, settling, unsettled);
  life.held_locks.Hold(source, unsettled);
  return settled;
}

Status QueueChanger::Delete(RecordedClient& client) {
  const Status deleted = client.DeleteQueue(*queue_);
  is_certain_ = !IsGone(deleted);
  if (is_certain_ && deleted.ok()) queue_.reset();
  return deleted;
}

}  // namespace wharf::crash
