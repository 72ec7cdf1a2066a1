// Scheduler: sends messages for later, due within about a second, and cancels, moves or activates
// some of them, now and then in a later life of the daemon.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/sending/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Scheduler final : public Worker {
 public:
  explicit Scheduler(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;

 private:
  struct Scheduled {
    QueueIndex queue;
    MessageId id;
    std::int64_t number;
  };

  Status Send(Life& life, RecordedClient& client, Dice& dice);
  Status Change(RecordedClient& client, Dice& dice);

  MessageMaker messages_;
  // Of those whose numbers are known, the last few.
  std::vector<Scheduled> scheduled_;
};

}  // namespace wharf::crash
