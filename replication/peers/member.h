// Member: a node of the cluster, as the others find it. Values.
#pragma once

#include <cstddef>
#include <string>

#include "replication/identity/node_identity.h"

namespace wharf {

inline constexpr std::size_t kPeerAddressBytesMax = 300;

struct Member {
  NodeId node{};
  std::string name{};
  // Where its peers reach it: "host:port", "[::1]:5691".
  std::string peer_address{};

  friend bool operator==(const Member&, const Member&) = default;
};

}  // namespace wharf
