// KnownId: a message id that was accepted before (DUP-5). IdWatch: notices which are accepted while
// someone looks them up.
//
// Whether an id is known stands in the store, and the shard never waits for the disk. So who asks
// begins a watch in the turn before the read, and adds what it saw to what was read: then every id
// is in it that was accepted up to now. Used on the shard's thread; a watch lives as long as its
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

struct KnownId {
  // Of the message that had it; 0 if that is no longer known.
  SequenceNumber number;
  Timestamp forget_after;
};
// Those of a list of messages, as a reader found them.
using KnownIds = absl::flat_hash_map<std::string, KnownId>;

class IdWatch {
 public:
  IdWatch(EntityId entity, const std::vector<std::string>& ids) : entity_(entity) {
    for (const std::string& id : ids) seen_.emplace(id, std::nullopt);
  }

  void Note(EntityId entity, const std::string& id, const KnownId& known) {
    if (entity != entity_) return;
    const auto asked = seen_.find(id);
    if (asked != seen_.end()) asked->second = known;
  }
  // What it saw is later than what was read.
  void AddTo(KnownIds& known) const {
    for (const auto& [id, seen] : seen_) {
      if (seen) known[id] = *seen;
    }
  }

 private:
  EntityId entity_;
  absl::flat_hash_map<std::string, std::optional<KnownId>> seen_;
};

class IdWatches {
 public:
  std::shared_ptr<const IdWatch> Begin(EntityId entity, const std::vector<std::string>& ids) {
    auto watch = std::make_shared<IdWatch>(entity, ids);
    active_.push_back(watch);
    return watch;
  }

  void Note(EntityId entity, const std::string& id, const KnownId& known) {
    std::erase_if(active_, [&](const std::weak_ptr<IdWatch>& weak) {
      const auto watch = weak.lock();
      if (watch) watch->Note(entity, id, known);
      return watch == nullptr;
    });
  }

 private:
  std::vector<std::weak_ptr<IdWatch>> active_;
};

}  // namespace wharf
