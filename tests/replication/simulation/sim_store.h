// SimStore: the state of a simulated node: rows in memory, and what of them is on its disk.
//
// A flush brings everything to the disk; a power cut leaves what the last flush did. Each row is
// written once in the whole history, so a row that is there already was applied twice.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "storage/apply/replicated_store.h"

namespace wharf {

// A state as a whole: what a flush keeps and a snapshot brings.
struct SimState {
  std::map<std::string, std::string, std::less<>> rows;
  // Of all rows, in whatever order they came.
  std::uint64_t hash = 0;
  StatePosition position;
};

class SimStore final : public ReplicatedStore, private WriteBatch::Visitor {
 public:
  // Told of each write when it is done, and of a row that was there before.
  struct Watch {
    std::function<void(const SimState&)> on_written;
    std::function<void(const std::string&)> on_row;
    std::function<void(const std::string&)> on_twice;
  };

  SimStore(std::string members, Watch watch) : watch_(std::move(watch)) {
    state_.position.members = std::move(members);
    flushed_ = state_;
  }

  const TableSet& tables() const override { return tables_; }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    writes.Visit(*this);
    state_.position = position;
    watch_.on_written(state_);
    return {};
  }

  const SimState& state() const { return state_; }
  const SimState& flushed() const { return flushed_; }
  CommitIndex last() const {
    const auto row = state_.rows.find(kIndexRow);
    if (row == state_.rows.end()) return CommitIndex();
    std::uint64_t index = 0;
    for (const char byte : row->second.substr(1))
      index = index << 8 | static_cast<std::uint8_t>(byte);
    return CommitIndex(index);
  }

  void Flush() { flushed_ = state_; }
  void CutPower() { state_ = flushed_; }
  void Replace(const SimState& state) { state_ = flushed_ = state; }

 private:
  static constexpr std::string_view kIndexRow = "applied-index";

  void Put(TableId /*table*/, std::string_view key, std::string_view value) override {
    auto [row, is_new] = state_.rows.try_emplace(std::string(key));
    if (!is_new) {
      state_.hash -= HashOf(key, row->second);
      if (key != kIndexRow) watch_.on_twice(row->first);
    }
    row->second = value;
    state_.hash += HashOf(key, value);
    if (key != kIndexRow) watch_.on_row(row->first);
  }
  void Delete(TableId /*table*/, std::string_view /*key*/) override {}
  void SingleDelete(TableId /*table*/, std::string_view /*key*/) override {}
  void DeleteRange(TableId /*table*/, std::string_view /*begin*/,
                   std::string_view /*end*/) override {}
  void NoteTime(Timestamp /*time*/) override {}
  void NoteFreed(TableId /*table*/, std::string_view /*begin*/, std::string_view /*end*/) override {
  }

  static std::uint64_t HashOf(std::string_view key, std::string_view value) {
    return std::hash<std::string>()(std::string(key) + '=' + std::string(value));
  }

  const TableSet tables_ = TableSet(1);
  const Watch watch_;
  SimState state_;
  SimState flushed_;
};

}  // namespace wharf
