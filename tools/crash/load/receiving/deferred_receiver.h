// DeferredReceiver: finds deferred messages, and receives them by their numbers or makes them
// available again.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class DeferredReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
