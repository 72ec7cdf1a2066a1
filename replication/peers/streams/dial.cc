#include "replication/peers/streams/dial.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include "replication/peers/streams/strand_timer.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

bool IsPort(const std::string& text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

Status Failed(std::string why) { return {ErrorCode::kServiceCommunicationProblem, std::move(why)}; }

}  // namespace

HostAndPort SplitAddress(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  HostAndPort parts{.host = address.substr(0, colon), .port = address.substr(colon + 1)};
  const bool has_brackets =
      parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']';
  if (has_brackets) parts.host = parts.host.substr(1, parts.host.size() - 2);
  const bool is_whole = !parts.host.empty() && IsPort(parts.port) &&
                        (has_brackets || parts.host.find_first_of(":[]") == std::string::npos);
  return is_whole ? parts : HostAndPort();
}

struct Dial::Attempt : std::enable_shared_from_this<Dial::Attempt> {
  Attempt(const asio::any_io_executor& strand, const PeerSecurity& how, Done then)
      : security(how), done(std::move(then)), resolver(strand), socket(strand), deadline(strand) {}

  void Start(const std::string& address, Duration time_max) {
    deadline.After(time_max, [this] { End(Failed("it does not answer")); });
    const auto [host, port] = SplitAddress(address);
    if (host.empty()) return EndLater(Failed("this is no address; write host:port"));
    error_code no_number;
    const auto number = asio::ip::make_address(host, no_number);
    if (!no_number) {
      return Connect({tcp::endpoint(number, static_cast<asio::ip::port_type>(std::stoul(port)))});
    }
    resolver.async_resolve(host, port,
                           [self = shared_from_this()](const error_code& error, const auto& found) {
                             self->OnResolved(error, found);
                           });
  }

  void OnResolved(const error_code& error, const tcp::resolver::results_type& found) {
    if (!done) return;
    if (error) return End(Failed(fmt::format("its name has no address: {}", error.message())));
    std::vector<tcp::endpoint> endpoints;
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    Connect(std::move(endpoints));
  }

  void Connect(std::vector<tcp::endpoint> endpoints) {
    for (const tcp::endpoint& endpoint : endpoints) {
      const Status allowed = security.CheckEndpoint(endpoint);
      if (!allowed.ok()) return EndLater(allowed);
    }
    targets = std::move(endpoints);
    asio::async_connect(socket, targets,
                        [self = shared_from_this()](const error_code& error, const tcp::endpoint&) {
                          if (!self->done) return;
                          if (error) return self->End(Failed(error.message()));
                          self->End(std::move(self->socket));
                        });
  }

  void EndLater(Status why) {
    asio::post(socket.get_executor(),
               [self = shared_from_this(), why = std::move(why)] { self->End(why); });
  }

  void End(Result<tcp::socket> result) {
    if (Done told = std::exchange(done, nullptr)) {
      Cancel();
      told(std::move(result));
    }
  }

  void Cancel() {
    done = nullptr;
    deadline.Cancel();
    resolver.cancel();
    error_code ignored;
    socket.close(ignored);
  }

  const PeerSecurity security;
  Done done;  // Null when it was told, or nobody wants to know.
  tcp::resolver resolver;
  tcp::socket socket;
  std::vector<tcp::endpoint> targets;
  StrandTimer deadline;
};

Dial::Dial(const asio::any_io_executor& strand, const PeerSecurity& security,
           const std::string& address, Duration time_max, Done done)
    : attempt_(std::make_shared<Attempt>(strand, security, std::move(done))) {
  attempt_->Start(address, time_max);
}

Dial::~Dial() { attempt_->Cancel(); }

}  // namespace wharf
