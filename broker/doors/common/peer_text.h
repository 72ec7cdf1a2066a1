// PeerText: an end of a connection as people write it, for the log: "127.0.0.1:5680",
// "[::1]:5680", "a Unix socket". Pure functions; used by listeners and by doors.
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace wharf {

inline constexpr std::string_view kUnixPeerText = "a Unix socket";

boost::asio::ip::tcp::endpoint ToTcp(
    const boost::asio::generic::stream_protocol::endpoint& endpoint);

std::string PeerText(const boost::asio::generic::stream_protocol::endpoint& endpoint);

}  // namespace wharf
