// SessionWorker: accepts sessions, receives from them, keeps their state, and gives them up or
// leaves them; goes on with their tokens later, often in the daemon's next life.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class SessionWorker final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

 private:
  struct HeldSession {
    std::string token;
    // Of messages that were delivered, and that it did not settle for sure.
    std::vector<std::string> messages;
  };

  // One that is held, or another; what ends the lock, or leaves it, is drawn by lot.
  Status Step(Life& life, RecordedClient& client, Dice& dice);
  Status Accept(Life& life, RecordedClient& client, Dice& dice);
  Status Work(Life& life, RecordedClient& client, HeldSession& session, Dice& dice);
  Status Settle(Life& life, RecordedClient& client, HeldSession& session,
                const std::vector<DeliveryRecord>& deliveries, Dice& dice);

  std::vector<HeldSession> held_;
};

}  // namespace wharf::crash
