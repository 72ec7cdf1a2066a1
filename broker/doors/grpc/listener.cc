#include "broker/doors/grpc/listener.h"

#include <chrono>
#include <thread>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

using boost::asio::ip::tcp;
using ErrorOfSystem = boost::system::error_code;

// Before the next try, when a connection could not be accepted.
constexpr std::chrono::milliseconds kPause{100};
// Between two warnings.
constexpr Duration kWarningsEvery = std::chrono::seconds(10);

std::string ToText(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", host, endpoint.port())
                                    : fmt::format("{}:{}", host, endpoint.port());
}

std::string ReasonFor(const ErrorOfSystem& error) {
  namespace errors = boost::asio::error;
  if (error == errors::address_in_use) return "it is in use";
  if (error == boost::system::errc::address_not_available)
    return "it is no address of this machine";
  if (error == errors::access_denied) {
    return "permission denied; ports below 1024 are for those who have a right to them";
  }
  return error.message();
}

}  // namespace

struct Listener::Impl {
  Impl(tcp::endpoint where, std::uint64_t descriptors)
      : endpoint(std::move(where)), descriptors_max(descriptors) {}

  Status Bind() {
    ErrorOfSystem error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    // Inherited by what is accepted.
    if (!error) acceptor.set_option(tcp::no_delay(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) endpoint = acceptor.local_endpoint(error);
    return error ? Failure(error) : Status::Ok();
  }

  Status Listen() {
    ErrorOfSystem error;
    acceptor.listen(tcp::acceptor::max_listen_connections, error);
    return error ? Failure(error) : Status::Ok();
  }

  Status Failure(const ErrorOfSystem& error) const {
    return {ErrorCode::kGeneralError,
            fmt::format("cannot listen on {}: {}", ToText(endpoint), ReasonFor(error))};
  }

  void AcceptNext() {
    if (!acceptor.is_open()) return;  // Stopped during a pause.
    acceptor.async_accept([this](const ErrorOfSystem& error, tcp::socket socket) {
      if (error == boost::asio::error::operation_aborted) return;
      if (error == boost::system::errc::connection_aborted) return AcceptNext();
      if (error) return PauseAfter(error);
      HandOver(std::move(socket));
      AcceptNext();
    });
  }

  // A descriptor is the lowest that is free: so its number tells how many are left.
  void HandOver(tcp::socket socket) {
    if (static_cast<std::uint64_t>(socket.native_handle()) >= descriptors_max) {
      return Warn("a client is turned away: all descriptors for connections are used");
    }
    ErrorOfSystem error;
    socket.native_non_blocking(true, error);
    const tcp::endpoint client = socket.remote_endpoint(error);
    if (error) return;  // It is gone already.
    spdlog::debug("a client connects from {}", ToText(client));
    accepted(socket.release());
  }

  void PauseAfter(const ErrorOfSystem& error) {
    Warn(fmt::format("clients cannot be let in: {}", error.message()));
    pause.expires_after(kPause);
    pause.async_wait([this](const ErrorOfSystem& stopped) {
      if (!stopped) AcceptNext();
    });
  }

  void Warn(std::string_view what) {
    const auto unsaid = warnings.Admit();
    if (!unsaid) return;
    spdlog::warn("{}; ulimit -n or LimitNOFILE raises their limit{}", what, Unsaid(*unsaid));
  }

  tcp::endpoint endpoint;
  const std::uint64_t descriptors_max;
  LogLimit warnings{kWarningsEvery};
  Accepted accepted;
  boost::asio::io_context io{1};
  tcp::acceptor acceptor{io};
  boost::asio::steady_timer pause{io};
  std::thread thread;
};

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Listener::~Listener() { Stop(); }

Result<std::unique_ptr<Listener>> Listener::Bind(const tcp::endpoint& endpoint,
                                                 std::uint64_t descriptors_max) {
  auto impl = std::make_unique<Impl>(endpoint, descriptors_max);
  WHARF_RETURN_IF_ERROR(impl->Bind());
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

int Listener::port() const { return impl_->endpoint.port(); }

Status Listener::Start(Accepted accepted) {
  WHARF_RETURN_IF_ERROR(impl_->Listen());
  impl_->accepted = std::move(accepted);
  impl_->AcceptNext();
  impl_->thread = std::thread([this] { impl_->io.run(); });
  return {};
}

void Listener::Stop() {
  if (!impl_->thread.joinable()) return;
  boost::asio::post(impl_->io, [this] {
    ErrorOfSystem ignored;
    impl_->acceptor.close(ignored);
    impl_->pause.cancel();
  });
  impl_->thread.join();
}

}  // namespace wharf
