// GarbageSpace: which file is rewritten next, so that space of garbage comes back.
//
// Where a table says that garbage lies together (GarbageOptions::ranges), a file there is rewritten
// by itself, in its own level, and the judge of that compaction drops what is dead. The file with
// the largest part of dead bytes comes first, if it is half, or if very much is dead. Files of
// level 0 lie over each other and will be compacted soon, so they wait until nothing is written. On
// the lazy thread; anybody may ask for sums.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/rocks/table_files.h"

namespace wharf {

class GarbageSpace {
 public:
  explicit GarbageSpace(const StoreTables& tables) : tables_(tables) {}

  // What is to be rewritten next.
  std::optional<Piece> Next(bool is_quiet);
  // What these files seem to have of dead bytes cannot be dropped: they were written just now. Only
  // what comes to it counts from now on.
  void NoteWritten(TableId table, const std::vector<std::string>& paths);

  // As of the last walk over all ranges.
  std::uint64_t dead_bytes() const { return dead_bytes_; }

 private:
  // What a table says of its garbage, a page at a time.
  struct Walk {
    std::vector<KeyRange> page;
    // Of the pages before, and of all in the last walk.
    std::uint64_t bytes = 0;
    std::uint64_t bytes_of_all = 0;
    // Files that were rewritten, and which part of them seemed to be dead even then.
    std::map<std::string, double> written;
  };
  struct Choice {
    Piece piece;
    double dead_part = 0;  // That was not there when it was written.
  };

  void Turn(TableId table, const TableFiles& files, Walk& walk) const;
  // Of what seems to be dead: what is in files that were rewritten, and could not be dropped.
  static std::uint64_t BytesThatLive(const TableFiles& files, const Walk& walk);
  std::optional<Choice> Choose(TableId table, const TableFiles& files, const Walk& walk,
                               bool is_quiet) const;
  std::optional<Choice> ChooseLevel0(TableId table, const TableFiles& files,
                                     const Walk& walk) const;
  double DeadPartOf(const TableFiles& files, const TableFiles::File& file, const Walk& walk) const;

  const StoreTables tables_;
  std::atomic<std::uint64_t> dead_bytes_ = 0;
  std::map<TableId, Walk> walks_;
};

}  // namespace wharf
