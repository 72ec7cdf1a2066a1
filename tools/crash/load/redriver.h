// Redriver: starts jobs that send dead letters back, looks at them and cancels some; in the next
// life of the daemon they must go on.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/load/worker.h"

namespace wharf::crash {

class Redriver final : public Worker {
 public:
  void Run(Life& life, Dice& dice) override;

  // Until every job that was heard of has ended.
  Status WaitForAll(RecordedClient& client);

 private:
  Status Start(Life& life, RecordedClient& client, Dice& dice);
  Status Look(RecordedClient& client, Dice& dice);

  // Those that may be running, the oldest first.
  std::vector<std::int64_t> jobs_;
};

}  // namespace wharf::crash
