// WispSender: sends many messages at once that soon will be gone, mostly all of them together.
#pragma once

#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class WispSender final : public Worker {
 public:
  explicit WispSender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  MessageMaker messages_;
};

}  // namespace wharf::crash
