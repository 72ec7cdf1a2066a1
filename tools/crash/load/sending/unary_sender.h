// UnarySender: sends by single calls: one message, several, or several that stand or fall together.
#pragma once

#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class UnarySender final : public Worker {
 public:
  explicit UnarySender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  MessageMaker messages_;
};

}  // namespace wharf::crash
