// StoreSpace: what a store takes of its disk and what it can do about it. The seam between the
// SpaceKeeper, which decides, and the RocksStore.
#pragma once

#include <cstdint>

#include "storage/base/status.h"

namespace wharf {

class StoreSpace {
 public:
  // Of sorted tables: compactions are not larger, or can be put off.
  static constexpr std::uint64_t kCompactionBytesMax = 1 << 30;

  struct Use {
    std::uint64_t buffer_bytes = 0;  // In memory; a flush writes at most as much.
    std::uint64_t table_bytes = 0;   // Of sorted tables; compactions rewrite them.
    std::uint64_t blob_bytes = 0;    // Of large values, in files of their own.
    // Of both, what ranges take that are known to be dead, as of the last step.
    std::uint64_t dead_bytes = 0;
    // Since the store was opened: by which steps have made tables smaller, what they have read and
    // written for it, and rows that any compaction has dropped as garbage.
    std::uint64_t returned_bytes = 0;
    std::uint64_t rewritten_bytes = 0;
    std::uint64_t dropped_rows = 0;
    // What compactions have still to rewrite, as the store estimates it; and of its cache, in
    // memory.
    std::uint64_t pending_compaction_bytes = 0;
    std::uint64_t cache_bytes = 0;
  };

  struct Step {
    std::uint64_t bytes = 0;  // Read and written; none: nothing was worth it, or is possible now.
    // What was deleted is still in memory: only after a flush can its space come back.
    bool waits_for_flush = false;
  };

  virtual ~StoreSpace() = default;
  // Cheap; any thread.
  virtual Use use() const = 0;
  // From now on no compaction begins that may need more than this beside what is there. Answers
  // how much of it large values may take, moved to newer files by compactions that begin now or are
  // under way; what sorted tables may take is known by their size. Any thread.
  virtual std::uint64_t LimitCompactions(std::uint64_t bytes) = 0;

  // Writes what is in memory to tables, so that the write-ahead log can go. Takes seconds, as the
  // next two do.
  virtual Status Flush() = 0;
  // Compacts the tables of which half or more is dead, as far as the limit lets it. One that has
  // damage is left as it is, until the next start, and is no error.
  virtual Status CompactDead() = 0;
  // Gives back some of what is known to be dead, by one compaction. While it is quiet, nothing is
  // written.
  virtual Result<Step> ReturnSpace(bool is_quiet) = 0;
};

}  // namespace wharf
