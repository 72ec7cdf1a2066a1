// StoppableLog: an entry log whose disk can be made to stop before its next sync, or to be slow:
// then a sync is done when the test says so. A test hears of what the log does before it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tests/replication/wrapped_log.h"

namespace wharf {

class StoppableLog final : public WrappedLog {
 public:
  Status Append(std::span<const LogEntry> entries, const std::optional<HardState>& state) override {
    if (before && !before()) return {ErrorCode::kGeneralError, "the process is gone"};
    return WrappedLog::Append(entries, state);
  }
  Status BeginAt(const LogPlace& place, const HardState& state) override {
    if (before && !before()) return {ErrorCode::kGeneralError, "the process is gone"};
    return WrappedLog::BeginAt(place, state);
  }
  Status Sync() override {
    if (before && !before()) return {ErrorCode::kGeneralError, "the process is gone"};
    if (stops) return {ErrorCode::kGeneralError, "the power is off"};
    ++syncs;
    return is_slow ? Status() : log.Sync();
  }
  // What a slow disk owes, or what a process finds that begins.
  void FinishSync() { static_cast<void>(log.Sync()); }

  bool stops = false;
  bool is_slow = false;
  // False: nothing is done any more.
  std::function<bool()> before;
  std::uint64_t syncs = 0;
};

}  // namespace wharf
