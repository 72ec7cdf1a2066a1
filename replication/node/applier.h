// Applier: does what committed entries say, on a node that leads as on one that follows.
//
// Called on the node's thread, and does not make it wait: it takes the entries to where the state
// is written, and says later, by RaftNode::OnApplied, how far that is. They are in the log of this
// node, on disk, and in that of a majority.
#pragma once

#include <vector>

#include "replication/core/raft_core.h"
#include "storage/apply/committed_entry.h"

namespace wharf {

class Applier {
 public:
  virtual ~Applier() = default;
  // In the order of their indexes, without gaps.
  virtual void Apply(std::vector<CommittedEntry> entries) = 0;
  // The log begins at this snapshot from now on, whose files are on the disk as a whole. Its state
  // takes the place of the one that is there at once, or when the node is opened anew and nothing
  // is applied before; what was handed over before it need not be applied any more.
  virtual void Install(RaftSnapshot snapshot) = 0;
};

}  // namespace wharf
