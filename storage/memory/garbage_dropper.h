// GarbageDropper: takes garbage out of a store in memory at random, as compactions would.
//
// RocksDB compacts when it likes, takes rows from under views that are open, and asks a judge that
// may be minutes old. So at any look at the store some of what an earlier or a new judge calls
// garbage goes, for all views at once: what is gone for one is not there for a later one. Used by
// MemoryStore under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/base/random.h"
#include "storage/memory/memory_tables.h"
#include "storage/row_judge.h"
#include "storage/table.h"

namespace wharf {

class GarbageDropper {
 public:
  // All that see rows: the store, and its open views.
  using Lookers = std::span<MemoryTables* const>;

  // The same seed drops the same.
  GarbageDropper(const TableSet& tables, std::uint64_t seed);

  // Now and then drops some garbage of one table.
  void MayDrop(Lookers lookers);
  // Drops what a new judge of each table calls garbage, all of it.
  void DropAll(Lookers lookers);
  // As if the process began anew: its compactions are gone, and their judges with them.
  void ForgetJudges();

 private:
  // Compactions of a table that are under way at the same time.
  static constexpr std::size_t kJudgesMax = 4;

  struct JudgedTable {
    TableId id;
    GarbageOptions garbage;
    std::vector<std::unique_ptr<RowJudge>> judges;
  };
  // A row as it was judged; with another value it is another one.
  using Row = std::pair<std::string, std::string>;

  bool Happens(std::uint64_t one_in) { return random_.Next() % one_in == 0; }
  // Made some time ago, or now.
  RowJudge& SomeJudge(JudgedTable& table);
  static std::vector<Row> GarbageOf(const JudgedTable& table, RowJudge& judge,
                                    const MemoryTables& looker);
  static void Drop(TableId id, const std::vector<Row>& rows, Lookers lookers);

  SeededRandom random_;
  std::vector<JudgedTable> tables_;
};

}  // namespace wharf
