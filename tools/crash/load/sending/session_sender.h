// SessionSender: spreads messages over a few sessions, by single calls.
#pragma once

#include <string>

#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

// One of the sessions.
std::string DrawSession(Dice& dice);

class SessionSender final : public Worker {
 public:
  explicit SessionSender(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  MessageMaker messages_;
};

}  // namespace wharf::crash
