// RouteTaker: receives from one place and completes what comes, so that copies of a message leave
// while others stay.
//
// Run is called for a life of the daemon, on a thread of its own, and returns when the daemon is
// gone.
#pragma once

#include "tools/crash/routes/route_life.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

class RouteTaker {
 public:
  explicit RouteTaker(Place place) : place_(place) {}

  void Run(RouteLife& life, Dice& dice);

 private:
  Status Complete(RouteLife& life, client::Client& client, const v1::ReceiveResponse& received);

  const Place place_;
};

}  // namespace wharf::crash
