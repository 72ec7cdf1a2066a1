#include "broker/doors/http/http_post.h"

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <fmt/format.h>

namespace wharf {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// Of the header of the answer; what is behind it is not read.
constexpr std::uint32_t kHeaderBytesMax = 16 * 1024;

http::request<http::string_body> RequestFor(const HttpPlace& place, std::string json) {
  http::request<http::string_body> request(http::verb::post, place.target, 11, std::move(json));
  const bool is_address_6 = place.host.find(':') != std::string::npos;
  const std::string host = is_address_6 ? fmt::format("[{}]", place.host) : place.host;
  request.set(http::field::host, fmt::format("{}:{}", host, place.port));
  request.set(http::field::content_type, "application/json");
  request.set(http::field::user_agent, "wharfd");
  request.set(http::field::connection, "close");
  request.prepare_payload();
  return request;
}

// What is sent over, and what comes before the first byte of the request.
struct PlainLine {
  PlainLine(asio::io_context& context, const HttpPlace& /*place*/) : stream(context) {}

  template <typename Then>
  void Begin(Then then) {
    then(error_code());
  }

  beast::tcp_stream stream;
};

// The server proves who it is before anything is said.
struct TlsLine {
  TlsLine(asio::io_context& context, const HttpPlace& place) : stream(context, *place.trust) {
    // Addresses have no name for a server to choose by.
    error_code is_name;
    asio::ip::make_address(place.host, is_name);
    if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), place.host.c_str());
    stream.set_verify_callback(asio::ssl::host_name_verification(place.host));
  }

  template <typename Then>
  void Begin(Then then) {
    stream.async_handshake(asio::ssl::stream_base::client, std::move(then));
  }

  beast::ssl_stream<beast::tcp_stream> stream;
};

// Each step begins the next. What is left when time is over ends with the context.
template <typename Line>
class Exchange {
 public:
  Exchange(const HttpPlace& place, std::string json)
      : place_(place), request_(RequestFor(place, std::move(json))) {
    answer_.header_limit(kHeaderBytesMax);
  }

  Status Run(Duration patience, const std::stop_token& hurry) {
    const std::stop_callback on_hurry(hurry, [this] { context_.stop(); });
    Resolve();
    context_.run_for(patience);
    return end_ ? *end_ : Failed("it did not answer in time");
  }

 private:
  Status Failed(const std::string& why) const {
    return {ErrorCode::kServiceCommunicationProblem,
            fmt::format("{}:{}: {}", place_.host, place_.port, why)};
  }
  // Whether to go on.
  bool Check(const error_code& error) {
    if (error) end_ = Failed(error.message());
    return !error;
  }

  void Resolve() {
    resolver_.async_resolve(place_.host, place_.port,
                            [this](const error_code& error, const auto& found) {
                              if (Check(error)) Connect(found);
                            });
  }
  void Connect(const tcp::resolver::results_type& found) {
    beast::get_lowest_layer(line_.stream)
        .async_connect(found, [this](const error_code& error, const auto& /*endpoint*/) {
          if (Check(error)) Begin();
        });
  }
  void Begin() {
    line_.Begin([this](const error_code& error) {
      if (Check(error)) Write();
    });
  }
  void Write() {
    http::async_write(line_.stream, request_,
                      [this](const error_code& error, std::size_t /*bytes*/) {
                        if (Check(error)) Read();
                      });
  }
  void Read() {
    http::async_read_header(line_.stream, buffer_, answer_,
                            [this](const error_code& error, std::size_t /*bytes*/) {
                              if (Check(error)) Judge();
                            });
  }
  void Judge() {
    const auto& answer = answer_.get();
    const bool is_good = http::to_status_class(answer.result()) == http::status_class::successful;
    end_ = is_good ? Status()
                   : Failed(fmt::format("it answers {} {}", answer.result_int(),
                                        std::string(answer.reason())));
  }

  const HttpPlace& place_;
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_{kHeaderBytesMax * 2};
  http::response_parser<http::empty_body> answer_;
  std::optional<Status> end_;
  // Last: what is under way when they end uses the others.
  asio::io_context context_{1};
  tcp::resolver resolver_{context_};
  Line line_{context_, place_};
};

}  // namespace

Result<HttpTrust> TrustIn(const std::string& authorities) {
  auto trust = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  error_code failed;
  trust->set_verify_mode(asio::ssl::verify_peer, failed);
  if (authorities.empty()) {
    trust->set_default_verify_paths(failed);
  } else {
    trust->load_verify_file(authorities, failed);
  }
  if (!failed) return trust;
  return Status(ErrorCode::kArgumentError,
                fmt::format("{}: it has no certificate in PEM that can be read: {}",
                            authorities.empty() ? "what this machine believes" : authorities,
                            failed.message()));
}

Status PostJson(const HttpPlace& place, std::string json, Duration patience,
                const std::stop_token& hurry) {
  if (place.trust == nullptr) {
    return Exchange<PlainLine>(place, std::move(json)).Run(patience, hurry);
  }
  return Exchange<TlsLine>(place, std::move(json)).Run(patience, hurry);
}

}  // namespace wharf
