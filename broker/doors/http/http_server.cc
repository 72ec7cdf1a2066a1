#include "broker/doors/http/http_server.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/core.h>
#include <sys/socket.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/doorways.h"
#include "broker/doors/common/io_threads.h"
#include "broker/doors/http/routed_service.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;

// So that a look at the health does not wait for the metrics of ten thousand queues.
constexpr std::size_t kThreads = 2;

// What breaks out of a handler takes with it what held its connection.
void Run(asio::io_context& loop) {
  for (;;) {
    try {
      loop.run();
      return;
    } catch (const std::exception& wrong) {
      LogBrokenHandler(wrong);
    }
  }
}

}  // namespace

struct HttpServer::Impl {
  // In the order of their coming.
  using Connections = std::list<std::weak_ptr<HttpConnection>>;

  Impl(const HttpLimits& given_limits, std::unique_ptr<HttpService> given_service,
       std::function<Duration()> given_now)
      : limits(given_limits), service(std::move(given_service)), now(std::move(given_now)) {}

  void Accept(Descriptor descriptor, const Doorway& doorway) {
    if (elsewhere && elsewhere(descriptor, doorway.certificates != nullptr)) return;
    Serve(std::move(descriptor), doorway, {});
  }

  void Serve(Descriptor descriptor, const Doorway& doorway, std::string client) {
    accepted.fetch_add(1, std::memory_order_relaxed);
    stream_protocol::socket socket(asio::make_strand(threads.loop()));
    boost::system::error_code error;
    socket.assign(stream_protocol(AF_UNSPEC, 0), descriptor.get(), error);
    if (error) return;
    descriptor.Release();
    if (!MakeRoom()) {
      refused.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    auto connection = MakeConnection(std::move(socket), doorway, {limits, *service, held, now},
                                     std::move(client));
    const std::optional<Connections::iterator> place = Add(connection);
    if (!place.has_value()) return;
    connection->OnLeft([this] { Leave(); });
    connection->OnEnd([this, at = *place] { Remove(at); });
    connection->Start();
    // One that was brought while the door closed, behind those that were told to end.
    if (!doorways.is_open()) connection->Close();
  }

  // False: all that there are are being answered.
  bool MakeRoom() {
    // Let go behind the lock: the last to let go of one removes it.
    std::vector<std::shared_ptr<HttpConnection>> seen;
    MutexLock lock(mutex);
    if (open < limits.connections_max) return true;
    // Those that end may take a moment.
    if (open >= 2 * limits.connections_max) return false;
    for (const auto& other : connections) {
      seen.push_back(other.lock());
      if (seen.back() != nullptr && seen.back()->CloseIfIdle()) return true;
    }
    return false;
  }

  // Nothing: nobody waits any more until those that are here are gone.
  std::optional<Connections::iterator> Add(const std::shared_ptr<HttpConnection>& connection) {
    MutexLock lock(mutex);
    if (is_stopping) return std::nullopt;
    ++open;
    return connections.insert(connections.end(), connection);
  }
  void Leave() {
    MutexLock lock(mutex);
    --open;
  }
  void Remove(Connections::iterator place) {
    MutexLock lock(mutex);
    connections.erase(place);
    if (connections.empty()) emptied.notify_all();
  }

  void CloseAll() {
    std::vector<std::shared_ptr<HttpConnection>> all;
    {
      MutexLock lock(mutex);
      is_stopping = true;
      for (const auto& connection : connections) all.push_back(connection.lock());
    }
    for (const auto& connection : all) {
      if (connection != nullptr) connection->Close();
    }
  }

  // Of those that were closed somebody else may have the last, on its way through a thread of the
  // broker: it needs all that there is here until it is gone.
  void WaitUntilEmpty() {
    MutexLock lock(mutex);
    while (!connections.empty()) emptied.wait(mutex);
  }

  const HttpLimits limits;
  const std::unique_ptr<HttpService> service;
  const std::function<Duration()> now;
  HttpHeld held;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
  mutable Mutex mutex;
  std::condition_variable_any emptied;
  Connections connections ABSL_GUARDED_BY(mutex);
  // Without those that are on their way to another door.
  std::size_t open ABSL_GUARDED_BY(mutex) = 0;
  bool is_stopping ABSL_GUARDED_BY(mutex) = false;
  // Constant once it listens.
  Elsewhere elsewhere;
  Doorways doorways;
  IoThreads threads{kThreads, Run};
};

HttpServer::HttpServer(const HttpLimits& limits, std::unique_ptr<HttpService> service,
                       std::function<Duration()> now)
    : impl_(std::make_unique<Impl>(limits, std::move(service), std::move(now))) {}

HttpServer::HttpServer(const HttpLimits& limits, Router router, HostCheck hosts,
                       std::function<Duration()> now)
    : HttpServer(limits, std::make_unique<RoutedService>(std::move(router), std::move(hosts)),
                 std::move(now)) {}

HttpServer::~HttpServer() { Stop(); }

Status HttpServer::Listen(std::vector<Doorway> doorways, Elsewhere elsewhere) {
  impl_->elsewhere = std::move(elsewhere);
  return impl_->doorways.Listen(std::move(doorways),
                                [this](Descriptor connection, const Doorway& doorway) {
                                  impl_->Accept(std::move(connection), doorway);
                                });
}

Status HttpServer::Take(Descriptor connection, bool has_tls, std::string client) {
  const Doorway* const doorway = impl_->doorways.Like(has_tls);
  if (doorway == nullptr) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("HTTP {} TLS is not listened for here", has_tls ? "with" : "without")};
  }
  impl_->Serve(std::move(connection), *doorway, std::move(client));
  return {};
}

void HttpServer::LetNobodyIn() { impl_->doorways.Close(); }

void HttpServer::Stop() {
  LetNobodyIn();
  impl_->CloseAll();
  impl_->WaitUntilEmpty();
  impl_->threads.Join();
}

std::size_t HttpServer::connections() const {
  MutexLock lock(impl_->mutex);
  return impl_->open;
}

std::uint64_t HttpServer::accepted() const { return impl_->accepted; }
std::uint64_t HttpServer::refused() const { return impl_->refused; }

std::int64_t HttpServer::outgoing_bytes() const {
  return impl_->held.outgoing.load(std::memory_order_relaxed);
}

}  // namespace wharf
