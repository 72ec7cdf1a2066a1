// KnownId: a message id that was accepted before (DUP-5). IdWatch: notices which are accepted while
// a reader looks them up.
//
// Whether an id is known stands in the store, and the shard never waits for the disk. So a send
// begins a watch in the turn before the read, and adds what it saw to what was read: then every id
// is in it that was accepted up to now. However many watches there are, an id that is accepted
// costs one look at the watches of it. Used on the shard's thread; a watch lives as long as its
// reader wants.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// What duplicate detection compares (DUP-3).
struct DuplicateId {
  // Empty on an entity without partitions.
  std::string partition_key;
  std::string message_id;
  friend bool operator==(const DuplicateId&, const DuplicateId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const DuplicateId& id) {
    return H::combine(std::move(state), id.partition_key, id.message_id);
  }
};

struct KnownId {
  // Of the message that had it; 0 if that is no longer known.
  SequenceNumber number;
  Timestamp forget_after;
  // Why it cannot be read whether the id was accepted; empty: it can.
  std::string unreadable{};
};
// Those of a list of messages, as a reader found them.
using KnownIds = absl::flat_hash_map<DuplicateId, KnownId>;

class IdWatch {
 public:
  // What it saw is later than what was read.
  void AddTo(KnownIds& known) const {
    for (const auto& [id, seen] : asked_) {
      if (*seen) known[id] = **seen;
    }
  }

 private:
  friend class IdWatches;
  // Each is shared by all that ask for the same id of the same entity.
  using Seen = std::shared_ptr<std::optional<KnownId>>;
  std::vector<std::pair<DuplicateId, Seen>> asked_;
};

class IdWatches {
 public:
  std::shared_ptr<const IdWatch> Begin(EntityId entity, const std::vector<DuplicateId>& ids);
  void Note(EntityId entity, const DuplicateId& id, const KnownId& known);

 private:
  static constexpr std::size_t kSweepAtLeast = 1024;

  void Sweep();

  // Ids that no watch asks for any more go with the next sweep.
  absl::flat_hash_map<std::pair<EntityId, DuplicateId>, std::weak_ptr<std::optional<KnownId>>>
      asked_;
  std::size_t sweep_at_ = kSweepAtLeast;
};

}  // namespace wharf
