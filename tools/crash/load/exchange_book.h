// ExchangeBook: the exchanges of one client whose end is asked for in the broker's next life: it
// must know those that were acknowledged, and tells how the others ended, and that goes into the
// history.
//
// Kept by a worker, on its thread; Resolve, before anybody works.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/history/held_locks.h"

namespace wharf::crash {

class ExchangeBook {
 public:
  // It ran; what is known to be undone leaves its lock.
  void Note(Exchange exchange, HeldLocks& held_locks);
  Status Resolve(RecordedClient& client, HeldLocks& held_locks);

 private:
  // Without an answer.
  std::vector<Exchange> doubtful_;
  // Acknowledged in the last life.
  std::vector<std::string> committed_;
};

}  // namespace wharf::crash
