#include "broker/core/queue/lock_table.h"

#include <cassert>

namespace wharf {
namespace {

std::size_t ChangedBytes(const Lock& lock) {
  const auto& changed = lock.delivery.changed_properties;
  return changed ? SizeOf(*changed) : 0;
}

}  // namespace

void LockTable::Add(const LockToken& token, Lock&& lock) {
  const bool is_unlocked = deadlines_.emplace(Deadline(lock.until, lock.number), token).second;
  changed_bytes_ += ChangedBytes(lock);
  const bool is_new = by_token_.emplace(token, std::move(lock)).second;
  assert(is_new && is_unlocked);
  static_cast<void>(is_new && is_unlocked);
}

const Lock* LockTable::Find(const LockToken& token, Timestamp now) const {
  const Lock* lock = Get(token);
  return lock != nullptr && now < lock->until ? lock : nullptr;
}

const Lock* LockTable::Get(const LockToken& token) const {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : &found->second;
}

void LockTable::Renew(const LockToken& token, Timestamp until) {
  Lock& lock = by_token_.at(token);
  deadlines_.erase(Deadline(lock.until, lock.number));
  lock.until = until;
  deadlines_.emplace(Deadline(until, lock.number), token);
}

Lock LockTable::Remove(const LockToken& token) {
  auto node = by_token_.extract(token);
  assert(!node.empty());
  Lock lock = std::move(node.mapped());
  deadlines_.erase(Deadline(lock.until, lock.number));
  assert(changed_bytes_ >= ChangedBytes(lock));
  changed_bytes_ -= ChangedBytes(lock);
  return lock;
}

std::vector<LockToken> LockTable::TakeEnded(Timestamp now, std::size_t count_max) {
  std::vector<LockToken> ended;
  while (!deadlines_.empty() && deadlines_.begin()->first.first <= now &&
         ended.size() < count_max) {
    ended.push_back(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
  }
  return ended;
}

std::vector<std::pair<LockToken, const Lock*>> LockTable::ListAfter(Timestamp until,
                                                                    SequenceNumber number,
                                                                    std::size_t count_max) const {
  std::vector<std::pair<LockToken, const Lock*>> page;
  for (auto it = deadlines_.upper_bound(Deadline(until, number));
       it != deadlines_.end() && page.size() < count_max; ++it) {
    page.emplace_back(it->second, &by_token_.at(it->second));
  }
  return page;
}

std::vector<HolderId> LockTable::Clear() {
  std::vector<HolderId> holders;
  for (const auto& [token, lock] : by_token_) holders.push_back(lock.owner.holder);
  by_token_.clear();
  deadlines_.clear();
  changed_bytes_ = 0;
  return holders;
}

Timestamp LockTable::next_deadline() const {
  return deadlines_.empty() ? kNever : deadlines_.begin()->first.first;
}

}  // namespace wharf
