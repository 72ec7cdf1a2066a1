// What the configuration says of this machine's node in its cluster, as the node wants to hear it.
// Used by the ClusterDaemon.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "broker/config/settings.h"
#include "broker/daemon/listening/listeners.h"
#include "replication/cluster_node/cluster_node.h"
#include "storage/base/status.h"

namespace wharf {

// The file of the raft core: beside the daemon, or where a package puts it.
std::string RaftLibraryPath();

// Loads the certificates, and makes them where nobody names any and only this machine reaches the
// node. An error says which key is wrong, and what to do.
Result<ClusterNode::Options> NodeOptionsOf(const config::Settings& settings,
                                           const Listeners& listeners);

// What a node that runs does each second for its certificates: files that have changed are read
// anew, and own ones are made anew before they end.
std::function<void()> CertificateLooks(const config::Settings& settings,
                                       std::shared_ptr<PeerCertificates> certificates);

// Whether the node could prove to its peers who it is, as far as it has to. Makes nothing.
Status CheckPeerCertificates(const config::Settings& settings);

}  // namespace wharf
