// IsLocalPeer: whether the other end of a connection is on this machine, by what it is called. Pure
// functions; used by the service Cluster and by what is shown to operators.
#pragma once

#include <string_view>

namespace wharf {

// "ipv4:127.0.0.1:5000", "ipv6:%5B::1%5D:5000", "unix:". What it does not know is not local.
bool IsLocalPeer(std::string_view peer);
// The same of what PeerText writes.
bool IsLocalPeerText(std::string_view peer);

}  // namespace wharf
