// MemberChanges: faults that make another cluster of the nodes, while it works: a new one joins,
// one leaves, and what is sent to the new one, or its invitation, is broken off.
//
// Made by a FaultInjector, used on the run's thread. The cluster has as many nodes after each of
// them as before, of which one is new, with a folder and a name that nobody had.
#pragma once

#include <cstdint>
#include <string>

#include "storage/base/status.h"
#include "tools/crash/nodes/fault.h"
#include "tools/crash/nodes/node_set.h"

namespace wharf::crash {

class MemberChanges {
 public:
  explicit MemberChanges(NodeSet& nodes) : nodes_(nodes) {}

  // Under load. An error if a change was not made in time.
  Status Last(const Fault& fault);
  // What is left to do of it, when all is well again.
  Status Finish(const Fault& fault);

  // How many snapshots were broken off on their way.
  std::uint64_t snapshots_broken() const { return snapshots_broken_; }

 private:
  Status Replace(const std::string& leaving);
  Status ReplaceDead(std::size_t dead);
  Status BreakSnapshot(const Fault& fault);
  Status BreakInvitation(const Fault& fault);
  // Until a snapshot is on its way to the new node, or it votes and needed none.
  Result<bool> AwaitSnapshot(Node& newcomer);

  NodeSet& nodes_;
  // The one that leaves when all is well again.
  std::string leaving_;
  std::uint64_t snapshots_broken_ = 0;
};

}  // namespace wharf::crash
