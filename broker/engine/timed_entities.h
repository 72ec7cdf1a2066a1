// TimedEntities: the few entities whose latencies are counted by themselves, because somebody named
// them.
//
// It gives each of them its EntityLatencies as long as it is named and exists; they begin anew with
// it. Counting needs neither this nor its mutex, which is for those who read. Changed on the
// shard's thread, read on any.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/core/entities/catalog.h"
#include "broker/requests/broker_statistics.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class TimedEntities {
 public:
  // Each has some fifty lines of /metrics.
  static constexpr std::size_t kCountMax = 20;
  // Whether entities may be called so, and there are not too many. That there is one of each name
  // does not matter: it may come.
  static Status Check(const std::vector<std::string>& paths);

  // From now on these and no others are timed; those that were and are go on.
  void Name(const std::vector<std::string>& paths, Catalog& catalog);
  // Entities came or went.
  void NoteChanges(const Changes& committed, Catalog& catalog);

  // In the order of their names.
  std::vector<TimedEntity> Read() const;

 private:
  void Begin(const std::string& folded, Catalog& catalog);
  void End(const std::string& folded, Catalog& catalog);

  // Folded, as all paths here. Owned by the shard's thread.
  std::set<std::string> names_;
  mutable Mutex mutex_;
  std::map<std::string, EntityLatenciesPtr> timed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
