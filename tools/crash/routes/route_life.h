// RouteLife: one life of the daemon, as those see it who work with it at the same time.
#pragma once

#include <chrono>
#include <string>

#include "tools/client/client.h"
#include "tools/crash/routes/route_ledger.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

struct RouteLife {
  std::string address;
  RouteLedger& ledger;
  Progress& progress;
};

// Of one worker.
inline client::ClientOptions RouteClientOptions() {
  return {.has_own_connection = true, .timeout = std::chrono::seconds(30)};
}

}  // namespace wharf::crash
