// ListenAddress: where wharfd listens, as `listen` says it. Used by the table of keys and main.cc.
#pragma once

#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "storage/base/status.h"

namespace wharf {

struct ListenAddress {
  std::string host;  // As it was written, for the log.
  boost::asio::ip::tcp::endpoint endpoint;
};

// "127.0.0.1:5680", "[::1]:5680" or "localhost:5680", which is the first of them; port 0 is any
// free one. ArgumentError with the reason for everything else, other machines' addresses among it:
// there are no credentials yet, so nobody but this machine may connect.
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace wharf
