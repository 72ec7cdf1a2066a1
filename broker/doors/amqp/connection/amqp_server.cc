#include "broker/doors/amqp/connection/amqp_server.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <optional>
#include <utility>

#include <boost/asio/strand.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/amqp/connection/client_socket.h"
#include "broker/doors/common/doorways.h"
#include "broker/doors/common/io_threads.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;

// Between two lines about clients that do something wrong, and about too many of them.
constexpr Duration kLinesEvery = std::chrono::seconds(1);
// Between two about what clients are told that have proven something.
constexpr Duration kToldEvery = std::chrono::milliseconds(10);

Open OpenOf(const AmqpServer::Identity& identity) {
  Open open;
  open.container_id = identity.container_id;
  Map& properties = open.properties.emplace();
  properties.Add(Value(Symbol{"product"}), Value(std::string("Wharf")));
  properties.Add(Value(Symbol{"version"}), Value(identity.version));
  return open;
}

}  // namespace

struct AmqpServer::Impl {
  using Sockets = std::list<std::weak_ptr<ClientSocket>>;

  Impl(const DoorLimits& given_limits, const Identity& identity, const GuardGate& gate,
       EntityDoor& given_entities, WallClock given_wall, std::size_t count)
      : limits(given_limits),
        wall(std::move(given_wall)),
        open(OpenOf(identity)),
        entities(given_entities),
        world{limits,        gate, entities,
              wall,          open, faults,
              counts,        told, identity.serves_jms ? &client_ids : nullptr,
              &link_idle_max},
        connections_max(limits.connections_max),
        threads(count) {}

  void Accept(Descriptor connection, const Doorway& doorway) {
    const bool has_tls = doorway.certificates != nullptr;
    if (!entities.is_open() && elsewhere && elsewhere(connection, has_tls)) return;
    Serve(std::move(connection), doorway, {});
  }

  void Serve(Descriptor connection, const Doorway& doorway, std::string client) {
    stream_protocol::socket socket(asio::make_strand(threads.loop()));
    boost::system::error_code error;
    socket.assign(stream_protocol(AF_UNSPEC, 0), connection.get(), error);
    if (error) return;
    connection.Release();
    if (!Reserve()) return;
    Place([&](std::uint64_t id, std::function<void()> ended) {
      return MakeClientSocket(id, std::move(socket), doorway, world, std::move(client),
                              std::move(ended));
    });
  }

  // What `make` makes takes what was reserved.
  template <typename Make>
  void Place(Make make) {
    const std::optional<Sockets::iterator> taken = TakePlace();
    if (!taken.has_value()) return;
    const Sockets::iterator place = *taken;
    const std::uint64_t id = accepted.fetch_add(1, std::memory_order_relaxed) + 1;
    const auto made = make(id, [this, place] { GiveBack(place); });
    if (Keep(place, made)) return made->Start();
    made->Drop();
  }

  // False: there are too many, and this one is counted as such.
  bool Reserve() {
    {
      MutexLock lock(mutex);
      if (sockets.size() + reserved < connections_max) {
        ++reserved;
        return true;
      }
    }
    Refuse();
    return false;
  }
  void GiveBackReserved() {
    MutexLock lock(mutex);
    --reserved;
  }

  // Nothing: nobody waits any more until those that are here are gone.
  std::optional<Sockets::iterator> TakePlace() {
    MutexLock lock(mutex);
    --reserved;
    if (is_stopping) return std::nullopt;
    return sockets.emplace(sockets.end());
  }
  // False: the door is closed.
  bool Keep(Sockets::iterator place, const std::shared_ptr<ClientSocket>& socket) {
    MutexLock lock(mutex);
    *place = socket;
    return !is_stopping;
  }
  void GiveBack(Sockets::iterator place) {
    MutexLock lock(mutex);
    sockets.erase(place);
    if (sockets.empty()) emptied.notify_all();
  }

  void Refuse() {
    refused.fetch_add(1, std::memory_order_relaxed);
    const auto unsaid = too_many.Admit();
    if (!unsaid) return;
    spdlog::warn("an AMQP client is turned away: {} are connected{}", connections_max.load(),
                 Unsaid(*unsaid));
  }

  // Let go of behind the lock: the last to let go of one gives its place back.
  std::vector<std::shared_ptr<ClientSocket>> All() {
    std::vector<std::shared_ptr<ClientSocket>> all;
    MutexLock lock(mutex);
    for (const auto& socket : sockets) {
      all.push_back(socket.lock());
    }
    return all;
  }

  void CloseAll(const Status& reason) {
    for (const auto& socket : All()) {
      if (socket != nullptr) socket->Close(reason);
    }
  }
  void DropAll() {
    for (const auto& socket : All()) {
      if (socket != nullptr) socket->Drop();
    }
  }

  void LetNobodyIn() {
    doorways.Close();
    MutexLock lock(mutex);
    is_stopping = true;
  }

  void WaitUntilEmpty(std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex);
    while (!sockets.empty()) {
      if (emptied.wait_until(mutex, until) == std::cv_status::timeout) return;
    }
  }
  // Of those that were dropped somebody else may have the last, on its way through a thread of the
  // broker: its stream needs our timers until it is gone.
  void WaitUntilEmpty() {
    MutexLock lock(mutex);
    while (!sockets.empty()) emptied.wait(mutex);
  }

  class Room final : public ClientTaker::Room {
   public:
    explicit Room(Impl& impl) : impl_(impl) {}
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() override {
      if (!is_taken_) impl_.GiveBackReserved();
    }
    void Take(HandedClient client) override {
      is_taken_ = true;
      impl_.Place([&](std::uint64_t id, std::function<void()> ended) {
        return MakeClientSocket(id, std::move(client), impl_.world, std::move(ended));
      });
    }

   private:
    Impl& impl_;
    bool is_taken_ = false;
  };

  // Constant after construction.
  const DoorLimits limits;
  const WallClock wall;
  const Open open;
  EntityDoor& entities;
  LogLimit faults{kLinesEvery};
  LogLimit too_many{kLinesEvery};
  LogLimit told{kToldEvery};
  DoorCounts counts;
  ClientIds client_ids;
  const DoorWorld world;

  std::atomic<std::size_t> connections_max;
  std::atomic<DoorLimits::Span> link_idle_max = DoorLimits::Span(0);

  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
  mutable Mutex mutex;
  std::condition_variable_any emptied;
  // In the order of their coming; a place before its socket is made has none.
  Sockets sockets ABSL_GUARDED_BY(mutex);
  // Places of those whose sockets will come; nobody waits for these to go.
  std::size_t reserved ABSL_GUARDED_BY(mutex) = 0;
  bool is_stopping ABSL_GUARDED_BY(mutex) = false;

  // Constant once it listens.
  Elsewhere elsewhere;
  Doorways doorways;
  IoThreads threads;
};

AmqpServer::AmqpServer(const DoorLimits& limits, const Identity& identity, const GuardGate& gate,
                       EntityDoor& entities, WallClock wall, std::size_t threads)
    : impl_(std::make_unique<Impl>(limits, identity, gate, entities, std::move(wall), threads)) {}

AmqpServer::~AmqpServer() { Stop(std::chrono::milliseconds(0)); }

Status AmqpServer::Listen(std::vector<Doorway> doorways, Elsewhere elsewhere) {
  impl_->elsewhere = std::move(elsewhere);
  return impl_->doorways.Listen(std::move(doorways),
                                [this](Descriptor connection, const Doorway& doorway) {
                                  impl_->Accept(std::move(connection), doorway);
                                });
}

Status AmqpServer::Take(Descriptor connection, bool has_tls, std::string client) {
  const Doorway* const doorway = impl_->doorways.Like(has_tls);
  if (doorway == nullptr) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("AMQP {} TLS is not listened for here", has_tls ? "with" : "without")};
  }
  impl_->Serve(std::move(connection), *doorway, std::move(client));
  return {};
}

std::unique_ptr<ClientTaker::Room> AmqpServer::Reserve() {
  return impl_->Reserve() ? std::make_unique<Impl::Room>(*impl_) : nullptr;
}

void AmqpServer::SetConnectionsMax(std::size_t count) { impl_->connections_max = count; }

void AmqpServer::SetLinkIdleMax(std::chrono::milliseconds max) { impl_->link_idle_max = max; }

void AmqpServer::CloseAll(const Status& reason) { impl_->CloseAll(reason); }

void AmqpServer::DropAll() { impl_->DropAll(); }

void AmqpServer::LetNobodyIn() { impl_->LetNobodyIn(); }

void AmqpServer::Stop(std::chrono::milliseconds patience) {
  impl_->LetNobodyIn();
  impl_->CloseAll({ErrorCode::kServiceCommunicationProblem, "the broker stops: connect again"});
  impl_->WaitUntilEmpty(patience);
  impl_->DropAll();
  impl_->WaitUntilEmpty();
  impl_->threads.Join();
}

// They stand in the order in which they came, but those that came at one time.
std::vector<ConnectionInfo> AmqpServer::List(std::uint64_t after, std::size_t count_max) const {
  std::vector<ConnectionInfo> found;
  for (const auto& socket : impl_->All()) {
    if (socket == nullptr) continue;
    ConnectionInfo info = socket->info();
    // One that is not begun has nothing to tell.
    if (info.id > after && !info.peer.empty()) found.push_back(std::move(info));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& other) { return one.id < other.id; });
  if (found.size() > count_max) found.resize(count_max);
  return found;
}

Status AmqpServer::Close(std::uint64_t id) {
  for (const auto& socket : impl_->All()) {
    if (socket == nullptr || socket->info().id != id) continue;
    socket->Close(
        {ErrorCode::kServiceCommunicationProblem, "an operator has closed the connection"});
    return {};
  }
  return {ErrorCode::kMessagingEntityNotFound, fmt::format("there is no connection {}", id)};
}

std::size_t AmqpServer::connections() const {
  MutexLock lock(impl_->mutex);
  return impl_->sockets.size() + impl_->reserved;
}

std::uint64_t AmqpServer::accepted() const { return impl_->accepted; }

std::uint64_t AmqpServer::refused() const { return impl_->refused; }

const DoorCounts& AmqpServer::counts() const { return impl_->counts; }

}  // namespace wharf::amqp
