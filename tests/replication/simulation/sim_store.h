// SimStore: the state of a simulated node: rows in memory, and what of them is on its disk.
//
// A flush brings everything to the disk; a power cut leaves what the last flush did. What is
// looked at stays as it was: tables are shared, and copied by the write that comes next. What is
// garbage goes at random, from the disk, too, as compactions take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/applied_index_row.h"
#include "storage/apply/replicated_store.h"
#include "storage/memory/garbage_dropper.h"
#include "storage/memory/memory_tables.h"
#include "tests/replication/simulation/sim_keeper.h"
#include "tests/replication/simulation/tables_view.h"

namespace wharf {

// A state as a whole: what a flush keeps and a snapshot brings.
struct SimState {
  MemoryTables tables;
  // Of all rows that were written, in whatever order they came, and not deleted.
  std::uint64_t hash = 0;
  StatePosition position;
};

// What every node has before the first entry.
struct SimFounding {
  TableSet tables = TableSet(1);
  AppliedIndexRow row{};
  WriteBatch rows{};
  // For each life of a node; none: nothing is garbage.
  std::function<std::unique_ptr<SimKeeper>()> make_keeper{};
};

class SimStore final : public ReplicatedStore, public Store, private WriteBatch::Visitor {
 public:
  // Told of each write when it is done, and of a row that is put, and whether there was one.
  struct Watch {
    std::function<void(const SimState&)> on_written;
    std::function<void(const std::string& key, bool was_there)> on_row;
  };

  SimStore(const SimFounding& founding, StatePosition position, Watch watch)
      : founding_(founding), watch_(std::move(watch)) {
    static_cast<void>(founding_.rows.Visit(founding_.tables, *this));
    state_.position = std::move(position);
    flushed_ = state_;
  }

  const TableSet& tables() const override { return founding_.tables; }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    writes.Visit(*this);
    state_.position = position;
    watch_.on_written(state_);
    if (dropper_)
      CountDropped([this] {
        std::vector<MemoryTables*> tables = everywhere();
        dropper_->MayDrop(tables);
      });
    return {};
  }
  std::unique_ptr<StoreView> View() const override {
    return std::make_unique<TablesView>(state_.tables);
  }

  const SimState& state() const { return state_; }
  const SimState& flushed() const { return flushed_; }
  const AppliedIndexRow& row() const { return founding_.row; }
  CommitIndex last() const { return *founding_.row.Read(*this); }

  // From now on; whoever judges outlives that.
  void DropGarbageAtRandom(const TableSet& judged, std::uint64_t seed) {
    dropper_.emplace(judged, seed);
  }
  void StopDropping() { dropper_.reset(); }
  // All that there is.
  void DropGarbage() {
    if (dropper_)
      CountDropped([this] {
        std::vector<MemoryTables*> tables = everywhere();
        dropper_->DropAll(tables);
      });
  }
  // Since the cluster was founded.
  std::size_t dropped_rows() const { return dropped_rows_; }
  // Of the rows as they are.
  std::uint64_t HashRows() const {
    std::uint64_t hash = 0;
    for (TableId table = 0; table < state_.tables.size(); ++table) {
      if (state_.tables[table] == nullptr) continue;
      for (const auto& [key, value] : *state_.tables[table]) hash += HashOf(table, key, value);
    }
    return hash;
  }

  void Flush() { flushed_ = state_; }
  void CutPower() { state_ = flushed_; }
  void Replace(const SimState& state) { state_ = flushed_ = state; }

 private:
  std::vector<MemoryTables*> everywhere() { return {&state_.tables, &flushed_.tables}; }
  template <typename Drop>
  void CountDropped(Drop drop) {
    const std::size_t before = CountRows();
    drop();
    dropped_rows_ += before - CountRows();
  }
  std::size_t CountRows() const {
    std::size_t count = 0;
    for (const auto& rows : state_.tables) count += rows == nullptr ? 0 : rows->size();
    return count;
  }

  void Put(TableId table, std::string_view key, std::string_view value) override {
    const auto [row, is_new] = WritableTable(state_.tables, table).try_emplace(std::string(key));
    if (!is_new) state_.hash -= HashOf(table, key, row->second);
    row->second = value;
    state_.hash += HashOf(table, key, value);
    if (watch_.on_row && key != founding_.row.key) watch_.on_row(row->first, !is_new);
  }
  void Delete(TableId table, std::string_view key) override {
    DeleteRange(table, key, std::string(key) + '\0');
  }
  void SingleDelete(TableId table, std::string_view key) override { Delete(table, key); }
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    MemoryTable& rows = WritableTable(state_.tables, table);
    auto row = rows.lower_bound(begin);
    while (row != rows.end() && row->first < end) {
      state_.hash -= HashOf(table, row->first, row->second);
      row = rows.erase(row);
    }
  }
  void NoteTime(Timestamp /*time*/) override {}
  void NoteFreed(TableId /*table*/, std::string_view /*begin*/, std::string_view /*end*/) override {
  }

  static std::uint64_t HashOf(TableId table, std::string_view key, std::string_view value) {
    std::string row(1, static_cast<char>(table));
    row.append(key).append("=").append(value);
    return std::hash<std::string>()(row);
  }

  const SimFounding founding_;
  const Watch watch_;
  SimState state_;
  SimState flushed_;
  std::optional<GarbageDropper> dropper_;
  std::size_t dropped_rows_ = 0;
};

}  // namespace wharf
