// Exchanger: completes messages of one queue and sends others to another, in a transaction each.
//
// What was under way when the daemon died is asked for in its next life: the broker tells how each
// transaction ended, and what it tells goes into the history.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/message_maker.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Exchanger final : public Worker {
 public:
  explicit Exchanger(std::uint32_t client) : messages_(client) {}

  void Run(Life& life, Dice& dice) override;
  // Before anybody works.
  Status Resolve(RecordedClient& client, HeldLocks& held_locks);

 private:
  Status Run(Life& life, RecordedClient& client, const DeliveryRecord& delivery, Dice& dice);

  MessageMaker messages_;
  // Without an answer.
  std::vector<Exchange> doubtful_;
  // Acknowledged in the last life.
  std::vector<std::string> committed_;
};

}  // namespace wharf::crash
