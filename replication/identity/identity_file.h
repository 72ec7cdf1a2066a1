// IdentityFile: the file NODE of a data folder, which says whose it is.
//
//   file = "wharf-node 1" LF
//          "cluster " 32 hex digits LF
//          "node " decimal LF
//          "name " name LF
//          "crc " 8 hex digits LF          ; CRC-32C of everything before
//
// Written once, when a cluster is founded or an invitation taken; read at each start. A folder that
// lost it is not guessed at: it is a folder without a cluster. Used by the daemon and by who founds
// and joins; one thread.
#pragma once

#include <optional>
#include <string>

#include "replication/identity/node_identity.h"
#include "storage/base/status.h"

namespace wharf {

inline constexpr char kIdentityFile[] = "NODE";

// Nothing if the folder belongs to no cluster; an error if the file is not whole, or newer.
Result<std::optional<NodeIdentity>> ReadIdentity(const std::string& folder);

// The same, for the node that was started with this name: the folder of another one is refused.
Result<std::optional<NodeIdentity>> ReadIdentityOf(const std::string& folder,
                                                   const std::string& name);

// Durable when it returns. Of a folder that has another identity, refused; the same again is fine:
// it may have been cut off before it was durable.
Status WriteIdentity(const std::string& folder, const NodeIdentity& identity);

}  // namespace wharf
