// What the configuration says of this machine's node in its cluster, as the node wants to hear it.
// Used by the ClusterDaemon.
#pragma once

#include <string>

#include "broker/config/settings.h"
#include "broker/daemon/listeners.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/status.h"

namespace wharf {

// The file of the raft core: beside the daemon, or where a package puts it.
std::string RaftLibraryPath();

// Loads the certificates. An error says which key is wrong, and what to do.
Result<ClusterNode::Options> NodeOptionsOf(const config::Settings& settings,
                                           const Listeners& listeners);

// Whether the node could prove to its peers who it is, as far as it has to.
Status CheckPeerCertificates(const config::Settings& settings);

}  // namespace wharf
