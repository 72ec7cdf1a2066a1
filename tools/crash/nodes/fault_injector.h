// FaultInjector: does to the nodes of a cluster what a fault says, and makes it good again.
//
// Made by a run. Strike is called on whatever thread hears the acknowledgement that was drawn, the
// others on the run's thread.
#pragma once

#include "storage/base/status.h"
#include "tools/crash/nodes/fault.h"
#include "tools/crash/nodes/member_changes.h"
#include "tools/crash/nodes/node_set.h"
#include "tools/crash/nodes/version_changes.h"

namespace wharf::crash {

class FaultInjector {
 public:
  explicit FaultInjector(NodeSet& nodes) : nodes_(nodes), changes_(nodes), versions_(nodes) {}

  // Must not wait.
  void Strike(const Fault& fault);
  // What takes its time, and as long as it lasts. An error if a node did not do as it was told.
  Status Last(const Fault& fault);
  // All is well again, but for what the nodes have to catch up with.
  Status Heal(const Fault& fault);
  // Whether there can be a leader while it goes on, and everybody else hears soon that who led does
  // not any more.
  bool MayOutliveLeader(const Fault& fault) const;

  const MemberChanges& changes() const { return changes_; }

 private:
  // Their clocks and disks.
  void SpoilMachines(const Fault& fault);
  void SetClocks(const Fault& fault);
  // What the leader and each of the others say to each other.
  void SetAll(const Fault& fault, Passage said, Passage heard);
  void SetBetween(std::size_t one, std::size_t other, Passage passage);
  void Signal(std::size_t node, int signal) { nodes_.at(node).daemon().Signal(signal); }
  void Flap(const Fault& fault);
  // Until those that end by themselves have, each with its sentence.
  Status AwaitEnds(const Fault& fault);
  // Until those that were killed are gone.
  Status AwaitKilled(const Fault& fault);
  // What they had not synced is gone, too.
  Status CutPower(const Fault& fault);

  NodeSet& nodes_;
  MemberChanges changes_;
  VersionChanges versions_;
};

}  // namespace wharf::crash
