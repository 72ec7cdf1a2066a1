// AmqpLockKeeper: settles and renews by `$management` with tokens that were received by others,
// over whatever door, or in an earlier life of the broker.
#pragma once

#include "tools/crash/amqp/recorded_amqp.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class AmqpLockKeeper final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  static Status Use(Life& life, RecordedAmqp& client, const HeldLock& lock, Dice& dice);
};

}  // namespace wharf::crash
