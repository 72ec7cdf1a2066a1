// HeldLog: an entry log whose disk can be made to hang, and to fail.
#pragma once

#include <atomic>

#include "tests/held_gate.h"
#include "tests/replication/wrapped_log.h"

namespace wharf {

class HeldLog final : public WrappedLog {
 public:
  Status Sync() override {
    disk_.Pass();
    if (fails_) return {ErrorCode::kGeneralError, "the disk is broken"};
    return log.Sync();
  }

  // From now on nothing can be synced.
  void Fail() { fails_ = true; }
  void Hold() { disk_.Hold(); }
  // Until somebody waits for the disk.
  void WaitUntilHanging() { disk_.WaitUntilHolding(); }
  void Release() { disk_.Release(); }

 private:
  std::atomic<bool> fails_ = false;
  HeldGate disk_;
};

}  // namespace wharf
