// Recovery: makes a cluster of its own of one node that is left, when a majority of the others is
// gone for good.
//
// The whole log of the node is kept, also what it does not know to be committed: others may have
// acknowledged it. What others had and this node's log has not is lost, so whoever does this
// chooses the node whose log is the longest (Look), and says that the loss is accepted. The cluster
// is another one from then on, and nodes of the old one are refused.
//
//   DATA/RECOVERY   there while it is under way: the node is not started then
//
// What has been broken off is gone on with by doing it again. For a folder in which nothing is
// open, on one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replication/cluster_node/member_book.h"
#include "replication/cluster_node/node_folder.h"
#include "replication/cluster_node/state_format.h"
#include "replication/core/raft_library.h"
#include "replication/identity/node_identity.h"
#include "storage/applied_index_row.h"
#include "storage/base/random.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/segment_log.h"
#include "storage/state_position.h"

namespace wharf {

class Recovery {
 public:
  // What is pointed to outlives it. `store`: how it would be opened in `data`.
  struct World {
    std::string data;
    std::string name;
    const RaftLibrary& library;
    RocksStoreOptions store;
    AppliedIndexRow index;
    Random& random;
    // What the state says of its format. Empty: nothing.
    FormatRows format{};
  };

  // What there is to begin with.
  struct Survivor {
    NodeIdentity identity{};
    LogPlace log_end{};
    LogPlace state{};
    // Names of the members, this node among them.
    std::vector<std::string> members{};
  };

  explicit Recovery(World world) : world_(std::move(world)), folder_(world_.data, world_.random) {}

  // Changes nothing that a start would not.
  Result<Survivor> Look() const;
  // Makes the new cluster; its id.
  Result<ClusterId> Recover() const;

 private:
  struct Opened {
    std::unique_ptr<SegmentLog> log;
    std::unique_ptr<RocksStore> store;
    StatePosition position;
  };

  Result<Opened> Open(const NodeIdentity& identity) const;
  Result<std::unique_ptr<RocksStore>> OpenStore() const;
  // Everything that the log has is in the state then, whose only member is this node.
  Status TakeWholeLog(const NodeIdentity& identity) const;
  Status ApplyAll(Opened& opened) const;
  // As the log has them, to its end.
  Result<MemberBook> Members(const Opened& opened) const;
  Status BeOnlyMember(Opened& opened) const;
  Result<ClusterId> Refound() const;

  const World world_;
  const NodeFolder folder_;
};

}  // namespace wharf
