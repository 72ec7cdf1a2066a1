// AmqpSessionWorker: holds sessions by links, receives from them, keeps their state, and gives them
// up by a detach, or goes without a word; most are held when the broker dies.
#pragma once

#include "tools/crash/amqp/recorded_amqp.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class AmqpSessionWorker final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  // False: the client is of no use any more.
  static bool RunSession(Life& life, RecordedAmqp& client, Dice& dice);
  static Status Step(RecordedAmqp& client, RecordedAmqp::Receiving& receiving, Dice& dice);
};

}  // namespace wharf::crash
