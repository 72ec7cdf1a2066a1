// MemoryEntryLog: an entry log without a disk, for tests.
//
// It forgets when it is told to what was not synced, as a disk may when its power fails: entries
// and a hard state that were appended since are gone, and what they had cut off stands again.
// Used on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/entry_log.h"

namespace wharf {

class MemoryEntryLog final : public EntryLog {
 public:
  Status Append(std::span<const LogEntry> entries, const std::optional<HardState>& state) override;
  Status Sync() override;

  const HardState& hard_state() const override { return state_; }
  LogPlace start() const override { return start_; }
  std::uint64_t last_index() const override { return start_.index + entries_.size(); }
  std::uint64_t TermOf(std::uint64_t index) const override;
  Result<std::vector<LogEntry>> Read(std::uint64_t first, std::uint64_t end,
                                     std::size_t bytes_max) const override;

  Status CutUpTo(std::uint64_t index) override;
  Status BeginAt(const LogPlace& place, const HardState& state) override;

  // The log as it was when Sync returned last; goes on from there.
  void Forget();

 private:
  // How many entries stand before this index.
  std::size_t PositionOf(std::uint64_t index) const { return index - start_.index - 1; }
  void CutTail(std::size_t position);

  LogPlace start_;
  std::vector<LogEntry> entries_;
  HardState state_;

  // How many of the entries were synced and stand since; and those which stood behind them then.
  std::size_t synced_ = 0;
  std::vector<LogEntry> cut_;
  HardState synced_state_;
};

}  // namespace wharf
