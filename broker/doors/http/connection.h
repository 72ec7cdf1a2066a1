// Connection: one client of an HTTP listener: its requests, one after another, and what is
// answered.
//
// Requests that come together are answered in order, one at a time. All it takes has a bound: bytes
// of headers and bodies, the time until each of them is there, the time in which a piece of an
// answer must be read, that for the answer as a whole, and how long nothing may be asked. While an
// answer is waited for it listens to whether its client is there. It lives as long as something is
// under way; one that becomes a WebSocket is over when another door has it. Made by the HttpServer;
// all of it happens on its strand.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>

#include "broker/doors/common/doorway.h"
#include "broker/doors/common/held_bytes.h"
#include "broker/doors/http/http_service.h"
#include "storage/base/time.h"

namespace wharf {

struct HttpLimits {
  std::size_t connections_max = 256;
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = 64 * 1024;
  // Between two requests; until a head is there; until a body is.
  std::chrono::milliseconds idle_max{10'000};
  std::chrono::milliseconds head_max{10'000};
  std::chrono::milliseconds body_max{10'000};
  // Until a piece of an answer is on its way; until all of it is.
  std::chrono::milliseconds write_max{10'000};
  std::chrono::milliseconds answer_max{60'000};
  // Of one connection, which then ends.
  std::size_t requests_max = 1'000'000;
  // Of bodies that are read, of all connections together; what would be more is refused.
  std::int64_t incoming_bytes_max = std::int64_t{64} << 20;
};

// What all connections of a server hold together.
struct HttpHeld {
  HeldBytes::Total incoming = 0;
  HeldBytes::Total outgoing = 0;
};

class HttpConnection {
 public:
  // Outlives all connections.
  struct World {
    const HttpLimits& limits;
    HttpService& service;
    HttpHeld& held;
    // Tells for how long something takes; never goes back.
    const std::function<Duration()>& now;
  };

  virtual ~HttpConnection() {
    SayLeft();
    if (ended_) ended_();
  }
  virtual void Start() = 0;
  // Ends it, whatever is under way. Any thread.
  virtual void Close() = 0;
  // Ends it if nothing was asked that is not answered; once. Any thread.
  bool CloseIfIdle() {
    if (!is_idle_ || is_told_to_end_.exchange(true)) return false;
    Close();
    return true;
  }
  // Called when it is none of HTTP's any more, before its client can know: it becomes a WebSocket,
  // or is gone.
  void OnLeft(std::function<void()> left) { left_ = std::move(left); }
  // Called when it is gone.
  void OnEnd(std::function<void()> ended) { ended_ = std::move(ended); }

 protected:
  std::atomic<bool> is_idle_ = true;

  void SayLeft() {
    if (left_) std::exchange(left_, nullptr)();
  }

 private:
  // It may take a moment, in which it can become idle once more.
  std::atomic<bool> is_told_to_end_ = false;
  std::function<void()> left_;
  std::function<void()> ended_;
};

// Of an exception that came out of a connection; now and then. Any thread.
void LogBrokenHandler(const std::exception& wrong);

// Takes the socket over, which came in at this doorway. `client`: where it comes from, of one that
// another node let in, whom this one does not know by the way it came; empty: from the other end of
// the socket.
std::shared_ptr<HttpConnection> MakeConnection(boost::asio::generic::stream_protocol::socket socket,
                                               const Doorway& doorway,
                                               const HttpConnection::World& world,
                                               std::string client);

}  // namespace wharf
