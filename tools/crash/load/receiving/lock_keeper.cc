#include "tools/crash/load/receiving/lock_keeper.h"

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

Settling DrawSettling(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 70) return {.verb = Verb::kComplete};
  if (lot < 85) return {.verb = Verb::kAbandon};
  return {.verb = Verb::kRelease};
}

Status Use(Life& life, RecordedClient& client, const HeldLock& lock, Dice& dice) {
  if (dice.Chance(30)) {
    Status renewed = client.RenewLock(lock.source, lock.token).status();
    if (renewed.ok() || IsGone(renewed)) life.held_locks.Hold(lock);
    return renewed;
  }
  std::vector<std::string> unsettled;
  Status status = client.Settle(lock.source, {lock.token}, DrawSettling(dice), unsettled);
  life.held_locks.Hold(lock.source, unsettled);
  return status;
}

}  // namespace

void LockKeeper::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, 5))) {
    const std::optional<HeldLock> lock = life.held_locks.Take(dice);
    if (lock) status = Use(life, client, *lock, dice);
  }
}

}  // namespace wharf::crash
