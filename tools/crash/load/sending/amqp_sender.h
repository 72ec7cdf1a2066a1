// AmqpSender: sends over AMQP: several messages that are under way at a time, or a batch; to queues
// with sessions, too.
#pragma once

#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class AmqpSender final : public Worker {
 public:
  explicit AmqpSender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  MessageMaker messages_;
};

}  // namespace wharf::crash
