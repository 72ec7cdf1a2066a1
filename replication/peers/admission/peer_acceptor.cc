#include "replication/peers/admission/peer_acceptor.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/peers/endpoint_text.h"

namespace wharf {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Before the next try, when a connection could not be accepted.
constexpr Duration kPause = std::chrono::milliseconds(100);

}  // namespace

PeerAcceptor::PeerAcceptor(const boost::asio::any_io_executor& strand, const PeerSecurity& security)
    : security_(security), acceptor_(strand), pause_(strand) {}

Result<std::uint16_t> PeerAcceptor::Bind(const tcp::endpoint& endpoint) {
  WHARF_RETURN_IF_ERROR(security_.CheckEndpoint(endpoint));
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (!error) return acceptor_.local_endpoint().port();
  return Status(ErrorCode::kGeneralError, fmt::format("cannot listen for peers on {}: {}",
                                                      ToText(endpoint), error.message()));
}

void PeerAcceptor::Start(Accepted accepted) {
  accepted_ = std::move(accepted);
  AcceptNext();
}

void PeerAcceptor::Stop() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.Cancel();
}

void PeerAcceptor::AcceptNext() {
  acceptor_.async_accept(
      [this, alive = pause_.token()](const error_code& error, tcp::socket socket) {
        if (alive.expired()) return;
        OnAccept(error, std::move(socket));
      });
}

void PeerAcceptor::OnAccept(const error_code& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (error && error != boost::asio::error::connection_aborted) return PauseAfter(error);
  if (!error) accepted_(std::move(socket));
  AcceptNext();
}

void PeerAcceptor::PauseAfter(const error_code& error) {
  if (const auto unsaid = warnings_.Admit()) {
    spdlog::warn("peers cannot be let in: {}; ulimit -n or LimitNOFILE raises a limit{}",
                 error.message(), Unsaid(*unsaid));
  }
  pause_.After(kPause, [this] { AcceptNext(); });
}

}  // namespace wharf
