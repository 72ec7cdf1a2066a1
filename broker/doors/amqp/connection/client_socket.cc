#include "broker/doors/amqp/connection/client_socket.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "broker/doors/common/peer_text.h"

namespace wharf::amqp {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using boost::system::error_code;
using PlainStream = stream_protocol::socket;
using TlsStream = asio::ssl::stream<PlainStream>;
using Instant = ServedConnection::Instant;

// At once. Of a plain connection a thread has the room, of any other the connection itself, and
// more of it while much comes.
constexpr std::size_t kPlainPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kOwnPieceBytes = std::size_t{8} << 10;
// A client that is told why it goes must be able to read it, while it still sends.
constexpr std::chrono::milliseconds kLingerMax{1000};
constexpr std::size_t kLingerBytesMax = std::size_t{256} << 10;

Instant Now() { return std::chrono::steady_clock::now(); }

template <typename Stream>
class SocketOver final : public ClientSocket,
                         public std::enable_shared_from_this<SocketOver<Stream>> {
 public:
  // `subject`: of a certificate, if another door has seen it.
  SocketOver(std::uint64_t id, Stream stream, const DoorWorld& world, std::string client,
             std::string subject, std::function<void()> ended)
      : ended_{std::move(ended)},
        id_(id),
        world_(world),
        stream_(std::move(stream)),
        timer_(executor()),
        peer_(std::move(client)),
        subject_(std::move(subject)) {}

  void Start() override {
    asio::post(executor(), [self = this->shared_from_this()] { self->Begin(); });
  }
  void Close(Status reason) override {
    asio::post(executor(), [self = this->shared_from_this(), reason = std::move(reason)] {
      self->CloseNow(reason);
    });
  }
  void Drop() override {
    asio::post(executor(), [self = this->shared_from_this()] { self->DropNow(); });
  }

  ConnectionInfo info() const override { return report_->Read(id_); }

 private:
  static constexpr bool kIsPlain = std::is_same_v<Stream, PlainStream>;
  static constexpr bool kHasTls = std::is_same_v<Stream, TlsStream>;
  static constexpr bool kIsHanded = std::is_same_v<Stream, HandedStream>;
  // A record of TLS, which is all that one read brings.
  static constexpr std::size_t kBusyPieceBytes = kHasTls ? std::size_t{16} << 10 : kPlainPieceBytes;

  auto executor() { return stream_.get_executor(); }
  // Of a stream that was handed over the other door has it.
  PlainStream& socket() {
    if constexpr (kHasTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }
  template <typename... Arguments>
  auto Then(void (SocketOver::*next)(error_code, Arguments...)) {
    return [self = this->shared_from_this(), next](error_code error, Arguments... arguments) {
      (self.get()->*next)(error, arguments...);
    };
  }

  // --- its beginning

  void Begin() {
    accepted_ = Now();
    if constexpr (!kIsHanded) {
      error_code gone;
      const stream_protocol::endpoint client = socket().remote_endpoint(gone);
      if (!gone) socket().non_blocking(true, gone);
      if (gone) return DropNow();
      if (peer_.empty()) peer_ = PeerText(client);
    }
    if constexpr (kHasTls) {
      Arm(accepted_ + world_.limits.open_max);
      stream_.async_handshake(asio::ssl::stream_base::server, Then(&SocketOver::OnHandshake));
    } else {
      Serve(subject_);
    }
  }

  void OnHandshake(error_code error) {
    if (is_dropped_) return;
    if (error) return DropNow();
    if constexpr (kHasTls) Serve(Certificates::SubjectOfPeer(stream_.native_handle()));
  }

  void Serve(std::string subject) {
    const auto post = [weak = this->weak_from_this()](std::function<void()> what) {
      const auto self = weak.lock();
      if (self == nullptr) return;
      asio::post(self->executor(), [self, what = std::move(what)] {
        if (self->served_ == nullptr) return;
        what();
        self->GoOn();
      });
    };
    served_ = std::make_unique<ServedConnection>(
        world_,
        ServedConnection::Client{.peer = peer_, .subject = std::move(subject), .report = report_},
        post, accepted_);
    GoOn();
  }

  // --- its life

  // After anything has happened.
  void GoOn() {
    if (served_ == nullptr || is_finishing_) return;
    served_->Work(Now());
    Write();
    if (served_->is_over() && !is_writing_) return Finish();
    Read();
    if (const auto deadline = served_->Deadline()) Arm(*deadline);
  }

  void Read() {
    if (is_reading_ || !served_->wants_input()) return;
    is_reading_ = true;
    if constexpr (kIsPlain) {
      stream_.async_wait(PlainStream::wait_read, Then(&SocketOver::OnReadable));
    } else {
      MakeRoom();
      stream_.async_read_some(asio::buffer(piece_.get(), piece_bytes_), Then(&SocketOver::OnRead));
    }
  }

  // Behind a piece that was filled there is more. Half of it is: heads of frames are in it, too.
  void MakeRoom() {
    const bool was_filled = read_bytes_ > piece_bytes_ / 2;
    const std::size_t bytes = was_filled ? kBusyPieceBytes : kOwnPieceBytes;
    if (bytes == piece_bytes_) return;
    piece_ = std::make_unique_for_overwrite<char[]>(bytes);
    piece_bytes_ = bytes;
  }

  // A thousand idle connections share the room for what they will say.
  void OnReadable(error_code error) {
    thread_local std::vector<char> piece(kPlainPieceBytes);
    std::size_t bytes = 0;
    if (!error) bytes = socket().read_some(asio::buffer(piece), error);
    if (error == asio::error::would_block) error = {};
    Take(error, {piece.data(), bytes});
  }

  void OnRead(error_code error, std::size_t bytes) {
    read_bytes_ = bytes;
    Take(error, {piece_.get(), bytes});
  }

  void Take(error_code error, std::string_view bytes) {
    is_reading_ = false;
    if (served_ == nullptr) return;
    if (is_finishing_) return Discard(error, bytes.size());
    // Who goes without a close is gone.
    if (error) return DropNow();
    served_->Feed(bytes, Now());
    GoOn();
  }

  void Write() {
    if (is_writing_) return;
    out_ = served_->TakeOutput(Now());
    if (out_.empty()) return;
    is_writing_ = true;
    write_by_ = Now() + world_.limits.write_max;
    Arm(write_by_);
    asio::async_write(stream_, asio::buffer(out_), Then(&SocketOver::OnWritten));
  }

  void OnWritten(error_code error, std::size_t /*bytes*/) {
    is_writing_ = false;
    out_ = std::string();
    if (is_dropped_) return;
    if (error) return DropNow();
    served_->NoteWritten(Now());
    GoOn();
  }

  // --- time

  // What is later than the next look comes to its time at that look.
  void Arm(Instant deadline) {
    if (armed_.has_value() && *armed_ <= deadline) return;
    armed_ = deadline;
    timer_.expires_at(deadline);
    timer_.async_wait(Then(&SocketOver::OnTime));
  }

  void OnTime(error_code error) {
    if (error || is_dropped_) return;
    armed_.reset();
    const Instant now = Now();
    const bool is_late =
        (is_writing_ && now >= write_by_) || (is_finishing_ && now >= linger_until_);
    if (served_ == nullptr || is_late) return DropNow();
    if (is_finishing_) return Arm(linger_until_);
    if (is_writing_) Arm(write_by_);
    served_->Tick(now);
    GoOn();
  }

  // --- its end

  void CloseNow(const Status& reason) {
    if (is_dropped_ || is_finishing_) return;
    if (served_ == nullptr) return DropNow();
    is_sent_away_ = true;
    served_->Close(reason, Now());
    GoOn();
  }

  // All is said. To close while bytes of the client are unread would take it back.
  void Finish() {
    is_finishing_ = true;
    linger_until_ = Now() + kLingerMax;
    Arm(linger_until_);
    if constexpr (kHasTls) {
      stream_.async_shutdown(Then(&SocketOver::OnShutdown));
    } else if constexpr (kIsHanded) {
      using Ending = HandedStream::Ending;
      const auto done = [self = this->shared_from_this()](error_code error, std::size_t) {
        self->OnShutdown(error);
      };
      stream_.Shutdown(is_sent_away_ ? Ending::kSentAway : Ending::kAllSaid, done);
    } else {
      error_code ignored;
      stream_.shutdown(PlainStream::shutdown_send, ignored);
      Listen();
    }
  }

  void OnShutdown(error_code /*error*/) { DropNow(); }

  void Listen() {
    if (is_reading_) return;
    is_reading_ = true;
    if constexpr (kIsPlain) {
      stream_.async_wait(PlainStream::wait_read, Then(&SocketOver::OnReadable));
    }
  }

  // Where there is a shutdown, that reads what there is.
  void Discard(error_code error, std::size_t bytes) {
    if (!kIsPlain) return;
    discarded_ += bytes;
    if (error || discarded_ > kLingerBytesMax) return DropNow();
    Listen();
  }

  void DropNow() {
    is_dropped_ = true;
    served_.reset();
    if constexpr (kIsHanded) {
      stream_.Close();
    } else {
      error_code ignored;
      socket().close(ignored);
    }
    timer_.cancel();
  }

  // Tells, at the very end, that nothing of the socket is left: whoever waits for that may take the
  // threads and timers away that it was on.
  struct AtTheEnd {
    ~AtTheEnd() { tell(); }
    const std::function<void()> tell;
  };

  // First, so that it goes last.
  const AtTheEnd ended_;
  const std::uint64_t id_;
  const std::shared_ptr<ConnectionReport> report_ = std::make_shared<ConnectionReport>();
  const DoorWorld& world_;
  Stream stream_;
  asio::steady_timer timer_;
  std::optional<Instant> armed_;
  std::string peer_;
  const std::string subject_;
  Instant accepted_{};
  // Null before it has begun, and after it was dropped.
  std::unique_ptr<ServedConnection> served_;

  // Of any that is not plain; and how much of it was read last.
  std::unique_ptr<char[]> piece_;
  std::size_t piece_bytes_ = 0;
  std::size_t read_bytes_ = 0;
  bool is_reading_ = false;
  std::string out_;
  bool is_writing_ = false;
  Instant write_by_{};
  bool is_sent_away_ = false;
  bool is_finishing_ = false;
  Instant linger_until_{};
  bool is_dropped_ = false;
  std::size_t discarded_ = 0;
};

}  // namespace

std::shared_ptr<ClientSocket> MakeClientSocket(std::uint64_t id, stream_protocol::socket socket,
                                               const Doorway& doorway, const DoorWorld& world,
                                               std::string client, std::function<void()> ended) {
  if (doorway.certificates == nullptr) {
    return std::make_shared<SocketOver<PlainStream>>(
        id, std::move(socket), world, std::move(client), std::string(), std::move(ended));
  }
  // The stream keeps what it needs of the context, also when there is another one.
  const auto content = doorway.certificates->content();
  return std::make_shared<SocketOver<TlsStream>>(
      id, TlsStream(std::move(socket), *content->context), world, std::move(client), std::string(),
      std::move(ended));
}

std::shared_ptr<ClientSocket> MakeClientSocket(std::uint64_t id, HandedClient client,
                                               const DoorWorld& world,
                                               std::function<void()> ended) {
  return std::make_shared<SocketOver<HandedStream>>(id, std::move(client.stream), world,
                                                    std::move(client.peer),
                                                    std::move(client.subject), std::move(ended));
}

}  // namespace wharf::amqp
