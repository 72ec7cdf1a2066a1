#include "broker/doors/common/local_peer.h"

#include <string>
#include <utility>

#include <boost/asio/ip/address.hpp>

#include "broker/doors/common/peer_text.h"

namespace wharf {
namespace {

// An IPv4 address may come as one of IPv6, where a listener takes both.
bool IsLoopback(const std::string& host) {
  boost::system::error_code bad;
  const auto address = boost::asio::ip::make_address(host, bad);
  if (bad) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
  }
  return address.is_loopback();
}

// Of an address in brackets, which may be written as "%5B" and "%5D".
std::string WithoutBrackets(std::string_view host) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("%5B", "%5D")}) {
    if (!host.starts_with(open) || !host.ends_with(close)) continue;
    host.remove_prefix(std::string_view(open).size());
    host.remove_suffix(std::string_view(close).size());
  }
  return std::string(host);
}

bool IsLoopbackWithPort(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  return colon != std::string_view::npos && IsLoopback(WithoutBrackets(peer.substr(0, colon)));
}

}  // namespace

bool IsLocalPeer(std::string_view peer) {
  if (peer.starts_with("unix:")) return true;
  constexpr std::string_view kFour = "ipv4:";
  if (!peer.starts_with(kFour) && !peer.starts_with("ipv6:")) return false;
  peer.remove_prefix(kFour.size());
  return IsLoopbackWithPort(peer);
}

bool IsLocalPeerText(std::string_view peer) {
  return peer == kUnixPeerText || IsLoopbackWithPort(peer);
}

}  // namespace wharf
