#include "tools/crash/load/receiving/rest_receiver.h"

namespace wharf::crash {
namespace {

Source DrawSource(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 15) return {.queue = queues.drops};
  Source source{.queue = lot < 60 ? queues.orders : queues.retries};
  if (lot >= 90) source.queue = queues.relays;
  if (dice.Chance(15)) source.lane = Lane::kDeadLetter;
  return source;
}

// HTTP has no other verbs.
Status Decide(Life& life, RecordedRest& client, const HeldLock& lock, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 75) return client.Complete(lock);
  if (lot < 83) return client.Unlock(lock);
  if (lot >= 97) return {};  // The lock must end by itself.
  if (lot < 90) {
    life.held_locks.Hold(lock);
    return {};
  }
  Status renewed = client.Renew(lock);
  if (!renewed.ok()) return renewed;
  return client.Complete(lock);
}

}  // namespace

void RestReceiver::Run(Life& life, Dice& dice) {
  RecordedRest client(life);
  Status status;
  while (!IsGone(status) && !life.progress.is_over()) {
    status = dice.Chance(5) ? SettleHeld(life, client, dice) : ReceiveOne(life, client, dice);
  }
}

Status RestReceiver::ReceiveOne(Life& life, RecordedRest& client, Dice& dice) {
  const Source source = DrawSource(life.queues, dice);
  const Mode mode = source.queue == life.queues.drops ? Mode::kReceiveAndDelete : Mode::kPeekLock;
  const auto delivery = client.Receive(source, mode);
  if (!delivery.ok()) return delivery.status();
  if (!*delivery || mode == Mode::kReceiveAndDelete) return {};
  return Decide(life, client, {source, (*delivery)->token}, dice);
}

Status RestReceiver::SettleHeld(Life& life, RecordedRest& client, Dice& dice) {
  const std::optional<HeldLock> lock = life.held_locks.Take(dice);
  return lock ? Decide(life, client, *lock, dice) : Status();
}

}  // namespace wharf::crash
