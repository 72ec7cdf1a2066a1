#include "tools/crash/proxy/peer_proxy.h"

#include <array>
#include <charconv>
#include <future>
#include <map>
#include <set>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <fmt/core.h>

namespace wharf::crash {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kConnectionsMax = 256;

Result<tcp::endpoint> EndpointOf(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  error_code wrong;
  std::uint16_t port = 0;
  if (colon == std::string::npos) return Status(ErrorCode::kArgumentError, "no port: " + address);
  std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  const auto host = asio::ip::make_address(address.substr(0, colon), wrong);
  if (!wrong && port != 0) return tcp::endpoint(host, port);
  return Status(ErrorCode::kArgumentError, address + " is no address and port");
}

}  // namespace

// All of it is used on the thread of the proxy.
class PeerProxy::Room : public std::enable_shared_from_this<Room> {
 public:
  explicit Room(WhoDials who_dials) : who_dials_(std::move(who_dials)) {}

  asio::io_context& io() { return io_; }
  void Run() { io_.run(); }
  void Stop();

  Result<std::uint16_t> Listen(const std::string& node, const std::string& target,
                               std::uint16_t port);
  void Set(const std::string& from, const std::string& to, Passage passage);
  void Heal();
  Passage passage(const std::string& from, const std::string& to) const;
  void Forget(const std::shared_ptr<Connection>& connection) { connections_.erase(connection); }

 private:
  struct Gate {
    std::string node;
    tcp::endpoint target;
    tcp::acceptor acceptor;
  };

  void Accept(const std::shared_ptr<Gate>& gate);
  void LetIn(const Gate& gate, tcp::socket socket);
  void TellAll();

  const WhoDials who_dials_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::set<std::shared_ptr<Gate>> gates_;
  std::set<std::shared_ptr<Connection>> connections_;
  // Those that are not open.
  std::map<std::pair<std::string, std::string>, Passage> passages_;
};

// Connection: one that a node dialled to another: two directions of bytes.
class PeerProxy::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Room& room, std::string from, std::string to, tcp::socket dialled,
             const tcp::endpoint& target)
      : room_(room),
        target_(target),
        near_(std::move(dialled)),
        far_(room.io()),
        there_{std::move(from), std::move(to), near_, far_},
        back_{there_.to, there_.from, far_, near_} {}

  // After each change of a passage, too.
  void GoOn();
  void End();

 private:
  struct Direction {
    std::string from;
    std::string to;
    tcp::socket& source;
    tcp::socket& sink;
    std::array<char, kPieceBytes> piece{};
    std::size_t held = 0;  // Bytes that wait for the passage.
    bool is_busy = false;  // Reads or writes.
    bool is_at_end = false;
  };

  Passage passage(const Direction& direction) const {
    return room_.passage(direction.from, direction.to);
  }
  void Dial();
  void WaitToDial();
  void Swallow();
  void Move(Direction& direction);
  void Read(Direction& direction);
  void Write(Direction& direction);

  Room& room_;
  const tcp::endpoint target_;
  tcp::socket near_;
  tcp::socket far_;
  Direction there_;
  Direction back_;
  bool is_dialling_ = false;
  bool is_connected_ = false;
  bool has_lost_ = false;
  bool is_ended_ = false;
};

// --- a connection

// A handshake needs both directions: while one of them is cut, who dials hears nothing, until it
// gives up.
void PeerProxy::Connection::GoOn() {
  if (is_ended_) return;
  const bool is_open = passage(there_) == Passage::kOpen && passage(back_) == Passage::kOpen;
  if (has_lost_ && is_open) return End();
  if (is_dialling_) return;
  if (!is_connected_) return is_open ? Dial() : WaitToDial();
  Move(there_);
  Move(back_);
}

void PeerProxy::Connection::WaitToDial() {
  if (passage(there_) == Passage::kCut || passage(back_) == Passage::kCut) Swallow();
}

// Until who dialled gives up.
void PeerProxy::Connection::Swallow() {
  has_lost_ = true;
  if (is_ended_ || std::exchange(there_.is_busy, true)) return;
  near_.async_read_some(asio::buffer(there_.piece),
                        [self = shared_from_this()](const error_code& error, std::size_t) {
                          self->there_.is_busy = false;
                          error ? self->End() : self->Swallow();
                        });
}

void PeerProxy::Connection::Dial() {
  is_dialling_ = true;
  far_.async_connect(target_, [self = shared_from_this()](const error_code& error) {
    if (error) return self->End();
    self->is_dialling_ = false;
    self->is_connected_ = true;
    self->GoOn();
  });
}

void PeerProxy::Connection::Move(Direction& direction) {
  if (is_ended_ || direction.is_busy) return;
  const Passage now = passage(direction);
  if (now == Passage::kStalled && (direction.held > 0 || direction.is_at_end)) return;
  if (now == Passage::kCut) {
    has_lost_ = has_lost_ || direction.held > 0 || direction.is_at_end;
    direction.held = 0;
    if (direction.is_at_end) return;
  }
  if (direction.is_at_end) return End();
  direction.held > 0 ? Write(direction) : Read(direction);
}

void PeerProxy::Connection::Read(Direction& direction) {
  direction.is_busy = true;
  direction.source.async_read_some(
      asio::buffer(direction.piece),
      [self = shared_from_this(), &direction](const error_code& error, std::size_t bytes) {
        direction.is_busy = false;
        direction.held = bytes;
        direction.is_at_end = bool(error);
        self->Move(direction);
      });
}

void PeerProxy::Connection::Write(Direction& direction) {
  direction.is_busy = true;
  asio::async_write(direction.sink, asio::buffer(direction.piece.data(), direction.held),
                    [self = shared_from_this(), &direction](const error_code& error, std::size_t) {
                      direction.is_busy = false;
                      direction.held = 0;
                      if (error) return self->End();
                      self->Move(direction);
                    });
}

void PeerProxy::Connection::End() {
  if (std::exchange(is_ended_, true)) return;
  error_code ignored;
  near_.close(ignored);
  far_.close(ignored);
  room_.Forget(shared_from_this());
}

// --- all of them

Result<std::uint16_t> PeerProxy::Room::Listen(const std::string& node, const std::string& target,
                                              std::uint16_t port) {
  const Result<tcp::endpoint> endpoint = EndpointOf(target);
  if (!endpoint.ok()) return endpoint.status();
  const auto gate = std::make_shared<Gate>(Gate{node, *endpoint, tcp::acceptor(io_)});
  error_code error;
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  gate->acceptor.open(here.protocol(), error);
  if (!error) gate->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) gate->acceptor.bind(here, error);
  if (!error) gate->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Status(ErrorCode::kGeneralError,
                  fmt::format("no port for peers of {}: {}", node, error.message()));
  }
  gates_.insert(gate);
  Accept(gate);
  return gate->acceptor.local_endpoint().port();
}

void PeerProxy::Room::Accept(const std::shared_ptr<Gate>& gate) {
  gate->acceptor.async_accept(
      [self = shared_from_this(), gate](const error_code& error, tcp::socket socket) {
        if (!gate->acceptor.is_open()) return;
        if (!error) self->LetIn(*gate, std::move(socket));
        self->Accept(gate);
      });
}

void PeerProxy::Room::LetIn(const Gate& gate, tcp::socket socket) {
  error_code gone;
  const tcp::endpoint from = socket.remote_endpoint(gone);
  if (gone || connections_.size() == kConnectionsMax) return;
  const std::string node = who_dials_(from);
  if (node.empty()) return;
  const auto connection =
      std::make_shared<Connection>(*this, node, gate.node, std::move(socket), gate.target);
  connections_.insert(connection);
  connection->GoOn();
}

Passage PeerProxy::Room::passage(const std::string& from, const std::string& to) const {
  const auto found = passages_.find({from, to});
  return found == passages_.end() ? Passage::kOpen : found->second;
}

void PeerProxy::Room::Set(const std::string& from, const std::string& to, Passage passage) {
  passages_[{from, to}] = passage;
  TellAll();
}

void PeerProxy::Room::Heal() {
  passages_.clear();
  TellAll();
}

void PeerProxy::Room::TellAll() {
  const auto connections = connections_;  // One that ends leaves.
  for (const auto& connection : connections) connection->GoOn();
}

void PeerProxy::Room::Stop() {
  for (const auto& gate : gates_) {
    error_code ignored;
    gate->acceptor.close(ignored);
  }
  const auto connections = connections_;
  for (const auto& connection : connections) connection->End();
  work_.reset();
}

// --- for other threads

PeerProxy::PeerProxy(WhoDials who_dials)
    : room_(std::make_shared<Room>(std::move(who_dials))), thread_([this] { room_->Run(); }) {}

PeerProxy::~PeerProxy() {
  asio::post(room_->io(), [room = room_] { room->Stop(); });
  thread_.join();
}

template <typename Work>
auto PeerProxy::Do(Work work) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto done = task.get_future();
  asio::post(room_->io(), [&task] { task(); });
  return done.get();
}

Result<std::uint16_t> PeerProxy::Add(const std::string& node, const std::string& target,
                                     std::uint16_t port) {
  return Do([&] { return room_->Listen(node, target, port); });
}

void PeerProxy::Set(const std::string& from, const std::string& to, Passage passage) {
  Do([&] { room_->Set(from, to, passage); });
}

void PeerProxy::Heal() {
  Do([this] { room_->Heal(); });
}

}  // namespace wharf::crash
