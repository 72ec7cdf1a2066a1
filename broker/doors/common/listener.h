// Listener: a socket that clients connect to, and the thread that accepts them.
//
// What is behind it is handed connections that are accepted already: gRPC's own listener says
// nothing of why a port cannot be had, and accepts nobody any more once descriptors were used up.
// Made by main.cc, which has all ports before it touches the disk; used by the doors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <sys/types.h>

#include "storage/base/status.h"

namespace wharf {

class Listener {
 public:
  // Takes over a connection, with its descriptor.
  using Accepted = std::function<void(int connection)>;

  struct Place {
    boost::asio::ip::tcp::endpoint endpoint{};
    // Of a Unix socket; if it is not empty, the endpoint means nothing.
    std::string path{};
    mode_t mode = 0600;
  };

  // Has the port from now on, but lets nobody in yet; who connects to a Unix socket waits. Port 0:
  // any free one. A socket that a dead process left is replaced. Connections have descriptors below
  // `descriptors_max`; all others are closed at once, and left to files.
  static Result<std::unique_ptr<Listener>> Bind(const Place& place, std::uint64_t descriptors_max);
  // Takes the file of a Unix socket away.
  ~Listener();

  // 0 of a Unix socket.
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
