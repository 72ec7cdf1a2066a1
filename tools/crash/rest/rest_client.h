// RestClient: a client of Service Bus over HTTP/1.1, one request at a time on a connection that it
// keeps. Knows nothing of the history.
//
// Made, used and dropped on one thread. Without an answer in time, of a node that stands still, its
// connection is dropped, and the next Prepare dials anew, where somebody answers a look at the
// namespace.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "storage/base/status.h"

namespace wharf::crash {

class RestClient {
 public:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using Answer = boost::beast::http::response<boost::beast::http::string_body>;

  // "127.0.0.1:8080"; at least one.
  explicit RestClient(std::vector<std::string> addresses) : addresses_(std::move(addresses)) {}

  // So that there is somebody to ask; an error: there is nobody.
  Status Prepare();
  // When prepared; once. Whatever it was answered; an error: it has no answer, and may be done.
  Result<Answer> Ask(Request request);

 private:
  using Clock = std::chrono::steady_clock;
  using Error = boost::system::error_code;

  // At the first address, from the one that served last, where a broker answers.
  Status Dial();
  Status DialNode(const std::string& address);
  // Until what was begun is over.
  void Finish();

  const std::vector<std::string> addresses_;
  std::size_t current_ = 0;
  boost::asio::io_context io_{1};
  std::optional<boost::beast::tcp_stream> stream_;
  Clock::time_point heard_at_{};
  boost::beast::flat_buffer buffer_;
};

}  // namespace wharf::crash
