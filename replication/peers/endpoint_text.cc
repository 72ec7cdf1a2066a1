#include "replication/peers/endpoint_text.h"

#include <sstream>

namespace wharf {

using boost::asio::ip::tcp;

std::string ToText(const tcp::endpoint& endpoint) {
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

std::string OtherEndOf(const tcp::socket& socket) {
  boost::system::error_code gone;
  return ToText(socket.remote_endpoint(gone));
}

}  // namespace wharf
