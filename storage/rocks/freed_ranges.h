// FreedRanges: ranges from which much was deleted, until their space has come back.
//
// What the SpaceReturner still has to do for purges and deletions. Noted on the log's thread,
// worked off on the lazy one. Ranges that touch are one; of more than so many, neighbours become
// one, with what lies between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/store.h"

namespace wharf {

struct FreedRange {
  TableId table = 0;
  KeyRange range;
  // RocksDB's number of the last write then: the deletions have none that is higher.
  std::uint64_t noted_at = 0;
  // What it took at most, and what was read and written so far to give that back.
  std::uint64_t bytes = 0;
  std::uint64_t spent_bytes = 0;
  // Two in one, with what lies between them and may live.
  bool is_mixed = false;
};

class FreedRanges {
 public:
  static constexpr std::size_t kRangesMax = 1024;

  void Note(FreedRange freed);
  // In the order of tables and keys.
  std::vector<FreedRange> All() const;

  // What was noted again meanwhile stays as it is.
  void Measure(const FreedRange& freed, std::uint64_t bytes);
  void Spend(const FreedRange& freed, std::uint64_t bytes);
  void Forget(const FreedRange& freed);

 private:
  using Place = std::pair<TableId, std::string>;

  FreedRange* FindSame(const FreedRange& freed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeIn(FreedRange& freed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void JoinBeside(const Place& place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  // By their beginnings; disjoint.
  std::map<Place, FreedRange> ranges_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
