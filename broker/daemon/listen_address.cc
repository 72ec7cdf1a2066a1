#include "broker/daemon/listen_address.h"

#include <boost/asio/ip/address.hpp>

namespace wharf {

Status CheckListenAddress(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(
      host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host, error);
  if (host == "localhost" || (!error && parsed.is_loopback())) return {};
  return {ErrorCode::kArgumentError,
          "without credentials wharfd listens on this machine only; --listen takes 127.0.0.1:PORT "
          "or [::1]:PORT, not " +
              address};
}

}  // namespace wharf
