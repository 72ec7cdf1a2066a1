// UnaryReceiver: locks messages of any queue or dead-letter queue by single calls, and settles them
// likewise.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class UnaryReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
