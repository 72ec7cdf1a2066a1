// LockTable: which message is locked, by which token, and until when.
//
// A lock is found by its token; asking about an expired one is the same as asking about none. The
// table does not expire anything itself: its owner asks what is due. Owned by a Lane, used on the
// shard's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"

namespace wharf {

// What holds locks: a stream, or all calls of a connection; zero for locks of before the start.
using HolderId = StrongId<struct HolderIdTag, std::uint64_t>;

// Whose a lock is, and since when.
struct LockOwner {
  HolderId holder{};
  // kNever: since before the last start of the broker.
  Timestamp since = kNever;
};

struct Lock {
  SequenceNumber number;
  Timestamp until;
  Delivery delivery;
  MessageFacts facts;
  LockOwner owner{};
  // It goes back to the deferred ones when the lock ends (STA-4).
  bool was_deferred = false;
};

class LockTable {
 public:
  void Add(const LockToken& token, Lock&& lock);
  // Null if there is no such lock or it has ended by `now`.
  const Lock* Find(const LockToken& token, Timestamp now) const;
  void Renew(const LockToken& token, Timestamp until);
  // The lock must be there, ended or not.
  Lock Remove(const LockToken& token);

  // Up to `count_max` locks that ended by `now`, earliest first. Their deadline is not reported
  // again, but they stay in the table until they are removed.
  std::vector<LockToken> TakeEnded(Timestamp now, std::size_t count_max);
  // The lock itself, ended or not.
  const Lock* Get(const LockToken& token) const;

  // Up to `count_max` locks in the order of their ends, and of their numbers, behind that one.
  std::vector<std::pair<LockToken, const Lock*>> ListAfter(Timestamp until, SequenceNumber number,
                                                           std::size_t count_max) const;

  // Removes all locks and returns their holders.
  std::vector<HolderId> Clear();

  // kNever if no deadline is waiting.
  Timestamp next_deadline() const;
  std::size_t size() const { return by_token_.size(); }
  // Locks whose end was not reported yet.
  std::size_t deadlines() const { return deadlines_.size(); }
  // Bytes held for properties that receivers changed.
  std::size_t changed_bytes() const { return changed_bytes_; }

 private:
  using Deadline = std::pair<Timestamp, SequenceNumber>;

  absl::flat_hash_map<LockToken, Lock> by_token_;
  absl::btree_map<Deadline, LockToken> deadlines_;
  std::size_t changed_bytes_ = 0;
};

}  // namespace wharf
