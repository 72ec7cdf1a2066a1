#include "replication/peers/admission/peer_security.h"

#include <fmt/core.h>

#include "replication/peers/endpoint_text.h"

namespace wharf {

Status PeerSecurity::CheckEndpoint(const boost::asio::ip::tcp::endpoint& endpoint) const {
  if (certificates != nullptr || plain == PlainPeers::kAnywhere) return {};
  if (plain == PlainPeers::kNobody) {
    return {
        ErrorCode::kArgumentError,
        "peers prove who they are with certificates, and this node has none; make them with the "
        "cluster, or say that peers may be insecure"};
  }
  if (endpoint.address().is_loopback()) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("{} can be reached from elsewhere, and without certificates anybody there "
                      "would be a peer; give this node certificates, or an address of 127.0.0.1",
                      ToText(endpoint))};
}

std::shared_ptr<const PeerCertificates::Content> PeerSecurity::content() const {
  return certificates == nullptr ? nullptr : certificates->content();
}

}  // namespace wharf
