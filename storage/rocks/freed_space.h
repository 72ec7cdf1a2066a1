// FreedSpace: which deletions have to come down next, so that space of freed ranges comes back.
//
// Much was deleted from a freed range, mostly by one range deletion, and RocksDB drops the rows
// only where it compacts the two together. So the file of the highest deletions is compacted into
// the next level with what lies below it there, and so on to the deepest. That takes as much at a
// time as one deletion covers of one level. Ranges are noted on the log's thread, the rest is the
// lazy thread's. After a start it finds those of an earlier life in the files (range_deletions.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "storage/rocks/freed_ranges.h"
#include "storage/rocks/table_files.h"

namespace wharf {

class FreedSpace {
 public:
  struct Work {
    Piece piece;
    FreedRange freed;
  };

  explicit FreedSpace(const StoreTables& tables)
      : tables_(tables),
        opened_at_(tables.db.GetLatestSequenceNumber()),
        left_(tables.options.size(), Left::kUnknown) {}

  void Note(const std::vector<TableRange>& ranges);

  // What is to be compacted next, of the ranges in turn. Forgets those that are done.
  std::optional<Work> Next();
  // The piece was compacted; so much was read and written for it.
  void Spend(const Work& work, std::uint64_t bytes) { ranges_.Spend(work.freed, bytes); }

  // As of the last look: what the ranges take, and whether deletions are still in memory, where
  // nothing can be done about them.
  std::uint64_t dead_bytes() const { return dead_bytes_; }
  bool waits_for_flush() const { return waits_for_flush_; }

 private:
  using Looks = std::map<TableId, TableFiles>;
  // What an earlier life has left.
  enum class Left { kUnknown, kInFilesKnown, kKnown };

  // What an earlier life has deleted, and did not come to.
  void NoteLeft(Looks& looks);
  std::uint64_t Look(const FreedRange& freed, const std::vector<FreedRange>& all, Looks& looks,
                     std::optional<Work>& work);
  const TableFiles& FilesOf(TableId table, Looks& looks) const;

  const StoreTables tables_;
  // RocksDB's number of the last write before.
  const std::uint64_t opened_at_;
  FreedRanges ranges_;
  std::atomic<std::uint64_t> dead_bytes_ = 0;
  // Of the lazy thread.
  std::vector<Left> left_;  // By table.
  std::size_t turn_ = 0;
  bool waits_for_flush_ = false;
};

}  // namespace wharf
