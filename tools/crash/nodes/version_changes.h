// VersionChanges: nodes that become those of another version of the broker, one by one and under
// load, as machines are upgraded: each ends in order, starts as the other one, and has nearly
// everything before it is the next one's turn.
//
// Made by a FaultInjector, used on the run's thread. Only where there is an older version.
#pragma once

#include <cstddef>

#include "storage/base/status.h"
#include "tools/crash/nodes/fault.h"
#include "tools/crash/nodes/node_set.h"

namespace wharf::crash {

class VersionChanges {
 public:
  explicit VersionChanges(NodeSet& nodes) : nodes_(nodes) {}

  // An error if a node did not end or start, or was not reached in time.
  Status Last(const Fault& fault);

 private:
  Status UpgradeAll(std::size_t last);
  // Up or back; the last older one stays, or there would be no way back.
  Status Turn(std::size_t node);

  NodeSet& nodes_;
};

}  // namespace wharf::crash
