// StoppableLog: an entry log whose disk can be made to stop before its next sync, and of whose work
// a test hears before it is done.
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
    return log.Sync();
  }

  bool stops = false;
  // False: nothing is done any more.
  std::function<bool()> before;
  std::uint64_t syncs = 0;
};

}  // namespace wharf
