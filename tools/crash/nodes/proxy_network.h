// ProxyNetwork: a PeerProxy as the network between nodes, all of which are at this machine's own
// address.
#pragma once

#include <utility>

#include <fmt/core.h>

#include "tools/crash/nodes/node_network.h"

namespace wharf::crash {

class ProxyNetwork final : public NodeNetwork {
 public:
  explicit ProxyNetwork(PeerProxy::WhoDials who_dials) : proxy_(std::move(who_dials)) {}

  Result<Place> Add(const std::string& node, std::uint16_t peer_port) override {
    const Result<std::uint16_t> port = proxy_.Add(node, fmt::format("127.0.0.1:{}", peer_port));
    if (!port.ok()) return port.status();
    return Place{.host = "127.0.0.1", .peer_address = fmt::format("127.0.0.1:{}", *port)};
  }
  // Nobody dials it any more.
  void Remove(const std::string& /*node*/) override {}
  void Set(const std::string& from, const std::string& to, Passage passage) override {
    proxy_.Set(from, to, passage);
  }
  void Heal() override { proxy_.Heal(); }

 private:
  PeerProxy proxy_;
};

}  // namespace wharf::crash
