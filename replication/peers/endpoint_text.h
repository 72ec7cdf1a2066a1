// EndpointText: an end of a connection as people write it: "127.0.0.1:5691", "[::1]:5691".
#pragma once

#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace wharf {

std::string ToText(const boost::asio::ip::tcp::endpoint& endpoint);
// Where the other end of it is; "0.0.0.0:0" if it is gone already.
std::string OtherEndOf(const boost::asio::ip::tcp::socket& socket);

}  // namespace wharf
