// Repeater: sends messages to a queue that drops duplicates, and sends them again: those that were
// acknowledged, and those whose outcome is unknown, in the next life of the daemon.
#pragma once

#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Repeater final : public Worker {
 public:
  explicit Repeater(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  Status Send(Life& life, RecordedClient& client, Dice& dice);
  Status Repeat(Life& life, RecordedClient& client, Dice& dice);

  MessageMaker messages_;
  // Of those that were not refused, the last few.
  std::vector<v1::Message> sent_;
};

}  // namespace wharf::crash
