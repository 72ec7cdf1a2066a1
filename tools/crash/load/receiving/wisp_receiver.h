// WispReceiver: receives a few of the messages that soon will be gone, and takes its time: what it
// has locked, deferred or given back lies among those that expire together.
#pragma once

#include "tools/crash/load/worker.h"

namespace wharf::crash {

class WispReceiver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;
};

}  // namespace wharf::crash
