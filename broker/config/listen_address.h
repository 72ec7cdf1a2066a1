// ListenAddress: one of the places where wharfd listens, as `listen` says it.
//
//   listener = [ kind [ "+tls" ] "://" ] ( host ":" port / "unix:" path [ "?mode=" octal ] )
//   kind     = "grpc" / "amqp" / "servicebus" / "operations" / "console"
//
// Used by the table of keys, by what looks whether a configuration fits together, and by main.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <sys/types.h>

#include "storage/base/status.h"

namespace wharf {

// What is spoken there. Service bus: HTTP as the REST API of Azure Service Bus speaks it.
// Operations: HTTP, with /livez and /readyz. Console: HTTP, with the gRPC API as JSON.
enum class ListenerKind : std::uint8_t { kGrpc, kAmqp, kServiceBus, kOperations, kConsole };

struct ListenAddress {
  ListenerKind kind = ListenerKind::kGrpc;
  bool has_tls = false;
  std::string host{};  // As it was written, for the log.
  boost::asio::ip::tcp::endpoint endpoint{};
  // Of a Unix socket; else empty, and it is an endpoint.
  std::string path{};
  mode_t mode = 0600;

  bool is_unix() const { return !path.empty(); }
  // Whether only this machine reaches it; of a Unix socket only this user.
  bool is_private() const;
};

// "127.0.0.1:5680", "[::1]:5680" or "localhost:5680", which is the first of them; port 0 is any
// free one. ArgumentError with the reason for everything else.
Result<ListenAddress> ParseListenAddress(std::string_view text);
// All of them, each at a place of its own; one at least is for gRPC.
Result<std::vector<ListenAddress>> ParseListenAddresses(const std::vector<std::string>& texts);

// As the ready line tells it, with the port that it got: "127.0.0.1:5680",
// "operations+tls://[::1]:9464", "unix:/run/wharf.sock".
std::string ToText(const ListenAddress& address, int port);
// As `listen` says it: "grpc", "amqp", "servicebus", "operations", "console".
std::string_view NameOf(ListenerKind kind);

}  // namespace wharf
