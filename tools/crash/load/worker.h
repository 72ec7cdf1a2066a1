// Worker: one of those who work with the broker at the same time, each on a thread of its own.
//
// A worker lives through all of the daemon's lives; Run is called anew for each, and returns when
// the daemon is gone.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/held_locks.h"
#include "tools/crash/history/recorder.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

// The queues that are there all the time.
struct LoadQueues {
  QueueIndex orders = 0;
  // Few attempts, small messages.
  QueueIndex retries = 0;
  // Received and deleted.
  QueueIndex drops = 0;
  // Drops duplicates.
  QueueIndex singles = 0;
  // Its messages expire after a second.
  QueueIndex briefs = 0;
  // Its messages are gone after three seconds or less.
  QueueIndex wisps = 0;
  // Purged now and then.
  QueueIndex scraps = 0;
  // Its messages belong to sessions.
  QueueIndex chats = 0;

  // Forwards to "relays".
  QueueIndex inbox = 0;
  QueueIndex relays = 0;

  // What forwards before its target: what has left it is there.
  std::vector<QueueIndex> All() const {
    return {orders, retries, drops, singles, briefs, wisps, scraps, chats, inbox, relays};
  }
};

// One life of the daemon, as its clients see it.
struct Life {
  std::string address;
  // Where it listens for AMQP; none: it does not.
  std::vector<std::string> amqp_addresses;
  // The same for HTTP.
  std::vector<std::string> rest_addresses;
  LoadQueues queues;
  Recorder& recorder;
  Progress& progress;
  HeldLocks& held_locks;
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual void Run(Life& life, Dice& dice) = 0;
};

// Messages that may lie in the broker before those who send wait.
inline constexpr std::uint64_t kBacklogMax = 300;

}  // namespace wharf::crash
