// LockKeeper: settles and renews with tokens that were received by others, or in an earlier life of
// the daemon.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class LockKeeper final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
