#include "broker/doors/http/http_post.h"

#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
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

// Each step begins the next. What is left when time is over ends with the context.
class Exchange {
 public:
  Exchange(const HttpPlace& place, std::string json)
      : place_(place), request_(http::verb::post, place.target, 11, std::move(json)) {
    const bool is_address_6 = place.host.find(':') != std::string::npos;
    const std::string host = is_address_6 ? fmt::format("[{}]", place.host) : place.host;
    request_.set(http::field::host, fmt::format("{}:{}", host, place.port));
    request_.set(http::field::content_type, "application/json");
    request_.set(http::field::user_agent, "wharfd");
    request_.set(http::field::connection, "close");
    request_.prepare_payload();
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
    stream_.async_connect(found, [this](const error_code& error, const auto& /*endpoint*/) {
      if (Check(error)) Write();
    });
  }
  void Write() {
    http::async_write(stream_, request_, [this](const error_code& error, std::size_t /*bytes*/) {
      if (Check(error)) Read();
    });
  }
  void Read() {
    http::async_read_header(stream_, buffer_, answer_,
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
  beast::tcp_stream stream_{context_};
};

}  // namespace

Status PostJson(const HttpPlace& place, std::string json, Duration patience,
                const std::stop_token& hurry) {
  Exchange exchange(place, std::move(json));
  return exchange.Run(patience, hurry);
}

}  // namespace wharf
