// StoppableLog: an entry log whose disk can be made to stop before its next sync.
#pragma once

#include <cstdint>

#include "tests/replication/wrapped_log.h"

namespace wharf {

class StoppableLog final : public WrappedLog {
 public:
  Status Sync() override {
    if (stops) return {ErrorCode::kGeneralError, "the power is off"};
    ++syncs;
    return log.Sync();
  }

  bool stops = false;
  std::uint64_t syncs = 0;
};

}  // namespace wharf
