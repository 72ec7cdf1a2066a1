// Purger: purges a queue or its dead-letter queue now and then.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Purger final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
