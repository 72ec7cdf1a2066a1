// RouteSwitch: switches forwarding off and on, so that messages gather on their way and are then
// forwarded in many steps, which a kill may fall between.
//
// Run is called for a life of the daemon, on a thread of its own, and returns when the daemon is
// gone; forwarding may then be off.
#pragma once

#include "tools/crash/routes/route_life.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

class RouteSwitch {
 public:
  explicit RouteSwitch(Place place) : place_(place) {}

  void Run(RouteLife& life, Dice& dice);

 private:
  const Place place_;
};

}  // namespace wharf::crash
