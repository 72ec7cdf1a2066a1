#include "broker/doors/common/peer_text.h"

#include <cstring>

#include <fmt/core.h>
#include <sys/socket.h>

namespace wharf {

using boost::asio::generic::stream_protocol;
using boost::asio::ip::tcp;

tcp::endpoint ToTcp(const stream_protocol::endpoint& endpoint) {
  tcp::endpoint converted;
  std::memcpy(converted.data(), endpoint.data(), endpoint.size());
  converted.resize(endpoint.size());
  return converted;
}

std::string PeerText(const stream_protocol::endpoint& endpoint) {
  const int family = endpoint.protocol().family();
  if (family != AF_INET && family != AF_INET6) return std::string(kUnixPeerText);
  const tcp::endpoint tcp = ToTcp(endpoint);
  const std::string host = tcp.address().to_string();
  return tcp.address().is_v6() ? fmt::format("[{}]:{}", host, tcp.port())
                               : fmt::format("{}:{}", host, tcp.port());
}

}  // namespace wharf
