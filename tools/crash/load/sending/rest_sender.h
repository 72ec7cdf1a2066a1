// RestSender: sends over HTTP, one message or a batch at a time, and waits for each answer.
#pragma once

#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class RestSender final : public Worker {
 public:
  explicit RestSender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  MessageMaker messages_;
};

}  // namespace wharf::crash
