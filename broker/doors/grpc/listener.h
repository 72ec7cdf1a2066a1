// Listener: the socket that clients connect to, and the thread that accepts them.
//
// gRPC is handed connections that are accepted already: its own listener says nothing of why a port
// cannot be had, and accepts nobody any more once descriptors were used up. Made by main.cc, which
// has the port before it touches the disk; used by the Server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "storage/base/status.h"

namespace wharf {

class Listener {
 public:
  // Takes over a connection, with its descriptor.
  using Accepted = std::function<void(int connection)>;

  // Has the port from now on, but lets nobody in yet. Port 0: any free one. Connections have
  // descriptors below `descriptors_max`; all others are closed at once, and left to files.
  static Result<std::unique_ptr<Listener>> Bind(const boost::asio::ip::tcp::endpoint& endpoint,
                                                std::uint64_t descriptors_max);
  ~Listener();

  int port() const;

  // Lets clients in; `accepted` is called on the listener's thread.
  Status Start(Accepted accepted);
  // Lets nobody in any more; after it, `accepted` is not called. Harmless if never started.
  void Stop();

 private:
  struct Impl;
  explicit Listener(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace wharf
