// WrappedLog: an entry log in memory, for those that behave otherwise in one thing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "storage/memory/memory_entry_log.h"

namespace wharf {

class WrappedLog : public EntryLog {
 public:
  Status Append(std::span<const LogEntry> entries, const std::optional<HardState>& state) override {
    return log.Append(entries, state);
  }
  Status Sync() override { return log.Sync(); }
  const HardState& hard_state() const override { return log.hard_state(); }
  LogPlace start() const override { return log.start(); }
  std::uint64_t last_index() const override { return log.last_index(); }
  std::uint64_t TermOf(std::uint64_t index) const override { return log.TermOf(index); }
  Result<std::vector<LogEntry>> Read(std::uint64_t first, std::uint64_t end,
                                     std::size_t bytes_max) const override {
    return log.Read(first, end, bytes_max);
  }
  Status CutUpTo(std::uint64_t index) override { return log.CutUpTo(index); }
  Status BeginAt(const LogPlace& place, const HardState& state) override {
    return log.BeginAt(place, state);
  }

  MemoryEntryLog log;
};

}  // namespace wharf
