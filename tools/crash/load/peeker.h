// Peeker: looks at messages anywhere in the queues, now and then.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Peeker final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
