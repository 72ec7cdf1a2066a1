#include "tools/crash/history/held_locks.h"

#include <utility>

namespace wharf::crash {

void HeldLocks::Hold(HeldLock lock) {
  MutexLock guard(mutex_);
  locks_.push_back(std::move(lock));
}

void HeldLocks::Hold(const Source& source, const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) Hold({source, token});
}

std::optional<HeldLock> HeldLocks::Take(Dice& dice) {
  MutexLock guard(mutex_);
  if (locks_.empty()) return std::nullopt;
  std::swap(locks_[dice.Below(locks_.size())], locks_.back());
  HeldLock lock = std::move(locks_.back());
  locks_.pop_back();
  return lock;
}

std::vector<HeldLock> HeldLocks::TakeAll() {
  MutexLock guard(mutex_);
  return std::exchange(locks_, {});
}

}  // namespace wharf::crash
