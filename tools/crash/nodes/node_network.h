// NodeNetwork: what the nodes of a cluster say to each other passes through it, and each direction
// can be cut, stalled and healed by itself. The seam between a NodeSet and what is between its
// nodes: a proxy (proxy_network.h), or network namespaces of the system (namespace_network.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "tools/crash/proxy/peer_proxy.h"

namespace wharf::crash {

class NodeNetwork {
 public:
  // Of one node.
  struct Place {
    // Its address, for clients and peers.
    std::string host;
    // Where its peers find it.
    std::string peer_address;
    // Whether that address is one of this machine alone: who asks from there is on it.
    bool is_loopback = true;
    // The words that its program is started by; none: it is started as it is.
    std::vector<std::string> launcher{};
  };

  virtual ~NodeNetwork() = default;

  // A new one, which will listen for peers at this port. On the run's thread, as Remove.
  virtual Result<Place> Add(const std::string& node, std::uint16_t peer_port) = 0;
  // It has ended for good.
  virtual void Remove(const std::string& node) = 0;
  // What `from` says to `to`; in force when it returns, as is Heal. Any thread.
  virtual void Set(const std::string& from, const std::string& to, Passage passage) = 0;
  // All of them are open.
  virtual void Heal() = 0;
};

}  // namespace wharf::crash
