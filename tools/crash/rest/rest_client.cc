#include "tools/crash/rest/rest_client.h"

#include <cstdint>
#include <utility>

#include <absl/strings/numbers.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

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

Status NoBroker(const std::string& why, Outcome outcome) {
  return {ErrorCode::kServiceCommunicationProblem, "no answer over HTTP: " + why, outcome};
}

}  // namespace

Status RestClient::Prepare() {
  if (stream_ && Clock::now() - heard_at_ > kIdleMax) stream_.reset();
  return stream_ ? Status() : Dial();
}

Result<RestClient::Answer> RestClient::Ask(Request request) {
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
  if (error) return NoBroker(error.message(), Outcome::kUnknown);
  return answer;
}

Status RestClient::Dial() {
  Status last = NoBroker("there is no address", Outcome::kNotDone);
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    last = DialNode(addresses_[current_]);
    if (last.ok()) return {};
    stream_.reset();
    current_ = (current_ + 1) % addresses_.size();
  }
  return last;
}

Status RestClient::DialNode(const std::string& address) {
  const auto endpoint = EndpointOf(address);
  if (!endpoint) return NoBroker(address + " is no address", Outcome::kNotDone);
  Error error;
  buffer_.clear();
  stream_.emplace(io_);
  stream_->expires_after(kDialPatience);
  stream_->async_connect(*endpoint, [&error](const Error& connected) { error = connected; });
  Finish();
  if (!error) stream_->socket().set_option(tcp::no_delay(true), error);
  if (error) return NoBroker(error.message(), Outcome::kNotDone);
  Request look(http::verb::get, "/$namespaceinfo", 11);
  look.set(http::field::host, "localhost");
  const Result<Answer> answer = Ask(std::move(look));
  if (answer.ok() && answer->result() == http::status::ok && stream_) return {};
  return NoBroker("no broker answers there", Outcome::kNotDone);
}

void RestClient::Finish() {
  io_.restart();
  io_.run();
}

}  // namespace wharf::crash
