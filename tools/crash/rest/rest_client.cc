#include "tools/crash/rest/rest_client.h"

#include <cstdint>
#include <utility>

#include <absl/strings/numbers.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/core.h>

namespace wharf::crash {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using std::chrono::seconds;

// A node that stands still lets in whoever comes, and says nothing.
constexpr seconds kDialPatience{3};
// Longer than any wait that a request asks for.
constexpr seconds kPatience{5};
// The broker closes a connection that is idle for longer than this; what is asked just then has no
// answer.
constexpr seconds kIdleMax{1};

std::optional<tcp::endpoint> EndpointOf(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::uint32_t port = 0;
  boost::system::error_code error;
  const auto host = boost::asio::ip::make_address(address.substr(0, colon), error);
  const bool has_port =
      colon != std::string::npos && absl::SimpleAtoi(address.substr(colon + 1), &port);
  if (error || !has_port) return std::nullopt;
  return tcp::endpoint(host, static_cast<std::uint16_t>(port));
}

Status NoBroker(const boost::system::error_code& error, Outcome outcome) {
  return {ErrorCode::kServiceCommunicationProblem,
          fmt::format("no answer over HTTP: {}", error.message()), outcome};
}

}  // namespace

Result<RestClient::Answer> RestClient::Ask(Request request) {
  if (stream_ && Clock::now() - heard_at_ > kIdleMax) stream_.reset();
  if (!stream_) WHARF_RETURN_IF_ERROR(Dial());
  request.prepare_payload();
  Answer answer;
  Error error;
  stream_->expires_after(kPatience);
  http::async_write(*stream_, request, [&](const Error& written, std::size_t) {
    if (error = written; error) return;
    http::async_read(*stream_, buffer_, answer,
                     [&error](const Error& read, std::size_t) { error = read; });
  });
  Finish();
  heard_at_ = Clock::now();
  if (error || !answer.keep_alive()) stream_.reset();
  if (error) return NoBroker(error, Outcome::kUnknown);
  return answer;
}

Status RestClient::Dial() {
  Error error;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    error = Connect(addresses_[next_++ % addresses_.size()]);
    if (!error) return {};
  }
  stream_.reset();
  return NoBroker(error, Outcome::kNotDone);
}

RestClient::Error RestClient::Connect(const std::string& address) {
  const auto endpoint = EndpointOf(address);
  buffer_.clear();
  stream_.emplace(io_);
  stream_->expires_after(kDialPatience);
  Error error = boost::asio::error::host_not_found;
  if (!endpoint) return error;
  stream_->async_connect(*endpoint, [&error](const Error& connected) { error = connected; });
  Finish();
  if (!error) stream_->socket().set_option(tcp::no_delay(true), error);
  return error;
}

void RestClient::Finish() {
  io_.restart();
  io_.run();
}

}  // namespace wharf::crash
