// NodeStore: the store with which a node starts: its state; and if that is lost, one without rows
// that stands in for it until another member's has come.
//
// Lost is what is damaged, or not there. It is given up only where it can be replaced: the log and
// the identity are whole, and there are other members. Else the start is refused, and everything
// stays as it is. Used by the daemon before it has a ClusterNode.
#pragma once

#include <memory>
#include <string>

#include "replication/cluster_node/node_folder.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

struct NodeStore {
  std::unique_ptr<RocksStore> store;
  // It is still that of a broker of a single node, which may found a cluster.
  bool is_single = false;
  // Why the state is lost, in a sentence; empty: it is there.
  std::string lost{};
};

// Settles the folder first. `options`: how the store would be opened in DATA.
Result<NodeStore> OpenNodeStore(const NodeFolder& folder, const std::string& name,
                                RocksStoreOptions options);

}  // namespace wharf
