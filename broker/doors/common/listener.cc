#include "broker/doors/common/listener.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include "broker/doors/common/peer_text.h"
#include "broker/doors/common/unix_socket.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

using boost::asio::generic::stream_protocol;
using boost::asio::ip::tcp;
using ErrorOfSystem = boost::system::error_code;

// Before the next try, when a connection could not be accepted.
constexpr std::chrono::milliseconds kPause{100};
// Between two warnings.
constexpr Duration kWarningsEvery = std::chrono::seconds(10);

// Who is at the other end of a Unix socket, as the system knows it.
std::string UserOf(int connection) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  const bool is_known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0;
  return is_known ? fmt::format("user {}, process {}", credentials.uid, credentials.pid)
                  : "a user that the system does not name";
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
  Impl(const Place& where, std::uint64_t descriptors)
      : place(where), descriptors_max(descriptors) {}

  bool is_unix() const { return !place.path.empty(); }

  Status Bind() { return is_unix() ? BindUnix() : BindTcp(); }

  Status BindTcp() {
    const bool is_v6 = place.endpoint.address().is_v6();
    ErrorOfSystem error;
    acceptor.open(stream_protocol(is_v6 ? AF_INET6 : AF_INET, IPPROTO_TCP), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    // Inherited by what is accepted.
    if (!error) acceptor.set_option(tcp::no_delay(true), error);
    if (!error) acceptor.bind(stream_protocol::endpoint(place.endpoint), error);
    if (!error) place.endpoint = ToTcp(acceptor.local_endpoint(error));
    return error ? Failure(ReasonFor(error)) : Status::Ok();
  }

  // It listens at once: who finds a socket that does not takes it for a dead one.
  Status BindUnix() {
    Result<UnixSocket> made = UnixSocket::Listen(place.path, place.mode);
    if (!made.ok()) return Failure(made.status().message());
    file = *std::move(made);
    ErrorOfSystem error;
    acceptor.assign(stream_protocol(AF_UNIX, 0), file->TakeDescriptor(), error);
    return error ? Failure(ReasonFor(error)) : Status::Ok();
  }

  Status Listen() {
    if (is_unix()) return {};
    ErrorOfSystem error;
    acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    return error ? Failure(ReasonFor(error)) : Status::Ok();
  }

  Status Failure(const std::string& reason) const {
    return {ErrorCode::kGeneralError,
            fmt::format("cannot listen on {}: {}",
                        is_unix() ? "unix:" + place.path : PeerText(place.endpoint), reason)};
  }

  void AcceptNext() {
    if (!acceptor.is_open()) return;  // Stopped during a pause.
    acceptor.async_accept([this](const ErrorOfSystem& error, stream_protocol::socket socket) {
      if (error == boost::asio::error::operation_aborted) return;
      if (error == boost::system::errc::connection_aborted) return AcceptNext();
      if (error) return PauseAfter(error);
      HandOver(std::move(socket));
      AcceptNext();
    });
  }

  // A descriptor is the lowest that is free: so its number tells how many are left.
  void HandOver(stream_protocol::socket socket) {
    if (static_cast<std::uint64_t>(socket.native_handle()) >= descriptors_max) {
      return Warn("a client is turned away: all descriptors for connections are used");
    }
    ErrorOfSystem error;
    socket.native_non_blocking(true, error);
    const stream_protocol::endpoint client = socket.remote_endpoint(error);
    if (error) return;  // It is gone already.
    spdlog::debug("a client connects from {}",
                  is_unix() ? UserOf(socket.native_handle()) : PeerText(client));
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

  Place place;
  // Of a Unix socket.
  std::optional<UnixSocket> file;
  const std::uint64_t descriptors_max;
  LogLimit warnings{kWarningsEvery};
  Accepted accepted;
  boost::asio::io_context io{1};
  boost::asio::basic_socket_acceptor<stream_protocol> acceptor{io};
  boost::asio::steady_timer pause{io};
  std::thread thread;
};

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Listener::~Listener() { Stop(); }

Result<std::unique_ptr<Listener>> Listener::Bind(const Place& place,
                                                 std::uint64_t descriptors_max) {
  auto impl = std::make_unique<Impl>(place, descriptors_max);
  WHARF_RETURN_IF_ERROR(impl->Bind());
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

int Listener::port() const { return impl_->is_unix() ? 0 : impl_->place.endpoint.port(); }

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
