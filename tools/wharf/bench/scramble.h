// Scramble: makes a queue look used: takes messages from it, and leaves each of them locked, gives
// it back or dead-letters it, by lot.
//
// The backlog of a measurement then has holes, locks and messages below the cursor, as it has in
// life. Runs on the main thread.
#pragma once

#include <cstdint>
#include <string>

#include "tools/client/client.h"

namespace wharf::tool {

struct ScramblePlan {
  std::string queue;
  std::uint64_t count = 0;
  // Equal seeds choose equally.
  std::uint64_t seed = 1;
};

struct ScrambleReport {
  std::uint64_t locked = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t dead_lettered = 0;
};

// An error if the queue has fewer messages to give.
Result<ScrambleReport> Scramble(client::Client& client, const ScramblePlan& plan);

}  // namespace wharf::tool
