// SpaceReturner: gives space back where rows are dead, by one compaction of few files at a time.
//
// Rows are dead where they were deleted (FreedSpace) and where a judge calls them garbage
// (GarbageSpace); nothing is rewritten for its age. By CompactFiles, which runs on the caller's
// thread and, unlike CompactRange, flushes nothing. Part of a RocksStore: ranges are noted on the
// log's thread, steps are taken on the lazy one, anybody may ask what was done.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "storage/rocks/freed_space.h"
#include "storage/rocks/garbage_space.h"
#include "storage/rocks/rocks_space.h"
#include "storage/rocks/table_files.h"
#include "storage/store_space.h"

namespace wharf {

class SpaceReturner {
 public:
  // All outlive it.
  SpaceReturner(const StoreTables& tables, RocksSpace& space)
      : tables_(tables), space_(space), freed_(tables), garbage_(tables) {}

  void NoteFreed(const std::vector<TableRange>& ranges) { freed_.Note(ranges); }

  // Compacts what is worth most, if anything is. An error is what nobody expects: that files are
  // being compacted already, do not fit or are damaged is none.
  rocksdb::Status Step(bool is_quiet, StoreSpace::Step& step);

  std::uint64_t dead_bytes() const { return freed_.dead_bytes() + garbage_.dead_bytes(); }
  // By which tables became smaller, and what was read and written for it.
  std::uint64_t returned_bytes() const { return returned_bytes_; }
  std::uint64_t rewritten_bytes() const { return rewritten_bytes_; }

 private:
  // What was written, and how many bytes were read and written; nothing of both if it is for later.
  struct Done {
    std::vector<std::string> paths;
    std::uint64_t bytes = 0;
  };

  rocksdb::Status Compact(const Piece& piece, Done& done);
  Done Count(rocksdb::CompactionJobInfo job);

  const StoreTables tables_;
  RocksSpace& space_;
  FreedSpace freed_;
  GarbageSpace garbage_;
  std::atomic<std::uint64_t> returned_bytes_ = 0;
  std::atomic<std::uint64_t> rewritten_bytes_ = 0;
};

}  // namespace wharf
