#include "tools/crash/load/receiving/amqp_lock_keeper.h"

#include <vector>

namespace wharf::crash {
namespace {

Settling DrawSettling(const HeldLock& lock, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  const bool is_main = lock.source.lane == Lane::kMain;
  const auto mark = static_cast<std::int64_t>(dice.Between(1, 1'000'000));
  if (lot < 70 || (lot >= 85 && !is_main)) return {.verb = Verb::kComplete};
  if (lot < 85) return {.verb = Verb::kAbandon, .mark = dice.Chance(50) ? mark : 0};
  if (lot < 93) return {.verb = Verb::kDeadLetter, .mark = dice.Chance(50) ? mark : 0};
  return {.verb = Verb::kDefer};
}

}  // namespace

void AmqpLockKeeper::Run(Life& life, Dice& dice) {
  const auto client = RecordedAmqp::Dial(life);
  Status status;
  while (client != nullptr && !IsGone(status) && life.progress.WaitForMore(dice.Between(1, 5))) {
    const std::optional<HeldLock> lock = life.held_locks.Take(dice);
    if (lock) status = Use(life, *client, *lock, dice);
  }
}

Status AmqpLockKeeper::Use(Life& life, RecordedAmqp& client, const HeldLock& lock, Dice& dice) {
  if (dice.Chance(30)) {
    Status renewed = client.RenewLock(lock.source, lock.token);
    if (renewed.ok() || IsGone(renewed)) life.held_locks.Hold(lock);
    return renewed;
  }
  std::vector<std::string> unsettled;
  Status status =
      client.SettleByToken(lock.source, lock.token, DrawSettling(lock, dice), unsettled);
  life.held_locks.Hold(lock.source, unsettled);
  return status;
}

}  // namespace wharf::crash
