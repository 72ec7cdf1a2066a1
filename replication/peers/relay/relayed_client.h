// RelayedClient: who is behind a connection that another node brings, and which door it wants. A
// value.
#pragma once

#include <string>

namespace wharf {

struct RelayedClient {
  // The kind of the listener that it came to, as a listener's address begins: "amqp", "amqp+tls".
  std::string door{};
  // Where it came from, as people write it.
  std::string address{};
  // It came from the machine of the node that it came to.
  bool is_local = false;

  friend bool operator==(const RelayedClient&, const RelayedClient&) = default;
};

}  // namespace wharf
