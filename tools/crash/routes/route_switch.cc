#include "tools/crash/routes/route_switch.h"

#include "tools/crash/clients/wire.h"
#include "tools/crash/routes/route_entities.h"

namespace wharf::crash {

void RouteSwitch::Run(RouteLife& life, Dice& dice) {
  client::Client client(life.address, RouteClientOptions());
  bool is_on = true;
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(1, is_on ? 30 : 150))) {
    is_on = !is_on;
    status = SetForwarding(client, place_, is_on);
  }
}

}  // namespace wharf::crash
