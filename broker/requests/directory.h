// Directory: which entity a path means, for doors and all that ask beside the shard.
//
// What it says was committed: a change of an entity is here before anybody is answered that it was
// made. Each look-up sees one state of all entities, and none waits for a change. Changed on the
// shard's thread, read on any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/core/changes/change.h"
#include "broker/requests/entity_ref.h"
#include "storage/base/hash_trie.h"
#include "storage/base/mutex.h"

namespace wharf {

class Directory {
 public:
  struct Entry {
    EntityId id;
    EntityKind kind = EntityKind::kQueue;
    // Of an entity that always is, or never.
    bool is_partitioned = false;
  };

  struct Named {
    std::string name;
    Entry entry;
  };

  // By the folded path of an entity; absent: there is none.
  std::optional<Entry> Find(std::string_view folded) const;
  // The lane that the path is the address of. A path that means none stays a path: the shard says
  // what is wrong with it.
  EntityRef Refer(std::string path) const;

  // What there is at start.
  void Load(const std::vector<Named>& entities);
  // Takes the entities that came and went, all at once.
  void Publish(const Changes& committed);

 private:
  using Map = HashTrie<Entry>;

  Map Current() const;
  void Replace(Map map);

  mutable Mutex mutex_;
  Map map_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
