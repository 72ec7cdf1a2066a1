// FaultInjector: does to the nodes of a cluster what a fault says, and makes it good again.
//
// Made by a run. Strike is called on whatever thread hears the acknowledgement that was drawn, the
// others on the run's thread.
#pragma once

#include "storage/base/status.h"
#include "tools/crash/nodes/fault.h"
#include "tools/crash/nodes/node_set.h"

namespace wharf::crash {

class FaultInjector {
 public:
  explicit FaultInjector(NodeSet& nodes) : nodes_(nodes) {}

  // Must not wait.
  void Strike(const Fault& fault);
  // What takes its time, and as long as it lasts. An error if a node did not do as it was told.
  Status Last(const Fault& fault);
  // All is well again, but for what the nodes have to catch up with.
  Status Heal(const Fault& fault);
  // Whether there can be a leader while it goes on.
  bool LeavesMajority(const Fault& fault) const;

 private:
  NodeSet& nodes_;
};

}  // namespace wharf::crash
