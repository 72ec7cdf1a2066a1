#include "broker/doors/http/connection.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <spdlog/spdlog.h>

#include "broker/doors/common/peer_text.h"
#include "broker/doors/http/answer_writer.h"
#include "broker/doors/http/request_head.h"
#include "broker/doors/http/request_parser.h"
#include "broker/doors/http/web_socket.h"
#include "broker/doors/http/web_socket_messages.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using std::chrono::milliseconds;
using PlainStream = beast::basic_stream<asio::generic::stream_protocol>;
using TlsStream = beast::ssl_stream<PlainStream>;

// Of what is read ahead, beside headers; and what of it at a time, while nothing is asked.
constexpr std::size_t kReadAheadBytes = 16 * 1024;
constexpr std::size_t kReadAheadPiece = 2 * 1024;
constexpr std::size_t kBodyPiece = 64 * 1024;
// Whoever holds so little is not refused for what others hold.
constexpr std::int64_t kFreeIncomingBytes = 64 * 1024;
// A client that is refused while it still sends must be able to read why.
constexpr milliseconds kLingerMax{1000};
constexpr std::size_t kLingerBytesMax = 256 * 1024;
constexpr std::chrono::seconds kBrokenEvery{10};

template <typename Stream>
class ConnectionOver final : public HttpConnection,
                             public std::enable_shared_from_this<ConnectionOver<Stream>> {
 public:
  ConnectionOver(Stream stream, bool knows_its_client, const World& world, std::string client)
      : world_(world),
        stream_(std::move(stream)),
        knows_its_client_(knows_its_client),
        client_(std::move(client)) {}

  void Start() override {
    asio::post(executor_, [self = this->shared_from_this()] { self->Begin(); });
  }

  void Close() override {
    asio::post(executor_, [self = this->shared_from_this()] { self->Drop(); });
  }

 private:
  static constexpr bool kHasTls = std::is_same_v<Stream, TlsStream>;
  // Of what: of nothing, while a request is answered; the next one, whenever it comes.
  enum class Reading : std::uint8_t { kNothing, kNext, kHead, kBody };
  friend AnswerWriter<ConnectionOver, Stream>;

  // What a service has of the request that is being answered.
  class Reply final : public HttpReply {
   public:
    explicit Reply(std::shared_ptr<ConnectionOver> connection)
        : connection_(std::move(connection)) {}
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    ~Reply() override {
      if (!is_answered_) Answer(connection_->world_.service.Refusal(500, "nobody answered this"));
    }
    void Answer(HttpResponse response) override {
      if (std::exchange(is_answered_, true)) return;
      asio::dispatch(connection_->executor_,
                     [to = connection_, response = std::move(response)]() mutable {
                       to->Guarded([&] { to->Answer(std::move(response)); });
                     });
    }
    void OnGone(std::function<void()> gone) override {
      asio::dispatch(connection_->executor_, [to = connection_, gone = std::move(gone)]() mutable {
        to->NoteGone(std::move(gone));
      });
    }

   private:
    const std::shared_ptr<ConnectionOver> connection_;
    bool is_answered_ = false;
  };

  auto Then(void (ConnectionOver::*next)(error_code, std::size_t)) {
    return [self = this->shared_from_this(), next](error_code error, std::size_t bytes) {
      self->Guarded([&] { (self.get()->*next)(error, bytes); });
    };
  }
  // What nobody has thought of ends this connection, and nothing else.
  template <typename Step>
  void Guarded(Step step) {
    try {
      step();
    } catch (const std::exception& wrong) {
      LogBrokenHandler(wrong);
      Drop();
    }
  }
  auto& socket() { return beast::get_lowest_layer(stream_); }
  void Allow(milliseconds time) { socket().expires_after(time); }

  bool is_dropped() const { return is_dropped_; }

  // Whatever is under way ends, and who waits for something for this client hears it.
  void Drop() {
    CloseSocket();
    timer_.cancel();
    is_dropped_ = true;
    reading_ = Reading::kNothing;
    go_on_ = nullptr;
    incoming_.Set(0);
    if (gone_) std::exchange(gone_, nullptr)();
  }
  // Of one that was handed over it is its own no more.
  void CloseSocket() {
    if (is_upgraded_) {
      if (web_socket_ != nullptr) web_socket_->Close();
      if (const auto texts = texts_.lock()) texts->Drop();
      return;
    }
    error_code ignored;
    socket().socket().close(ignored);
  }
  void NoteGone(std::function<void()> gone) {
    if (is_dropped_) return gone();
    if (is_asked_) gone_ = std::move(gone);
  }

  // --- between two requests

  void Begin() {
    if constexpr (kHasTls) {
      Allow(world_.limits.head_max);
      stream_.async_handshake(
          asio::ssl::stream_base::server,
          beast::bind_front_handler(&ConnectionOver::OnHandshake, this->shared_from_this()));
    } else {
      Await();
    }
  }

  void OnHandshake(error_code error) {
    if (error) return Drop();
    Await();
  }

  void Await() {
    if (is_dropped_) return;
    is_idle_ = true;
    reading_ = Reading::kNext;
    ReadBy(world_.limits.idle_max);
    SkipLineEnds();
    if (buffer_.size() > 0) return ReadHead();
    Listen();
  }

  // Some clients end a request with one more than there is, which is no part of the next one.
  void SkipLineEnds() {
    const auto* const bytes = static_cast<const char*>(buffer_.data().data());
    std::size_t count = 0;
    while (count < buffer_.size() && (bytes[count] == '\r' || bytes[count] == '\n')) ++count;
    buffer_.consume(count);
  }

  // --- reading

  // There is at most one read under way, whatever it brings: more of a request, the next one ahead
  // of its time, or that there will be none.
  void Listen() {
    if (is_listening_) return;
    const std::size_t room = buffer_.max_size() - buffer_.size();
    const std::size_t bytes = std::min(room, PieceBytes());
    if (bytes == 0) return OnFull();
    is_listening_ = true;
    socket().expires_never();
    // What is ahead may be read, and let go of, while this is under way.
    if (reading_ == Reading::kNothing) {
      ahead_.resize(bytes);
      stream_.async_read_some(asio::buffer(ahead_), Then(&ConnectionOver::OnAhead));
    } else {
      stream_.async_read_some(buffer_.prepare(bytes), Then(&ConnectionOver::OnHeard));
    }
  }

  std::size_t PieceBytes() const {
    switch (reading_) {
      case Reading::kNothing:
      case Reading::kNext:
        return kReadAheadPiece;
      case Reading::kHead:
        return kReadAheadBytes;
      case Reading::kBody:
        return kBodyPiece;
    }
    return kReadAheadPiece;
  }

  // A client that has sent so much ahead is heard when it is answered.
  void OnFull() {
    if (reading_ == Reading::kHead) OnHead(http::error::buffer_overflow);
  }

  void OnAhead(error_code error, std::size_t bytes) {
    if (!error && !is_dropped_ && !is_lingering_) {
      asio::buffer_copy(buffer_.prepare(bytes), asio::buffer(ahead_));
    }
    OnHeard(error, bytes);
    if (!is_listening_) ahead_ = {};
  }

  void OnHeard(error_code error, std::size_t bytes) {
    is_listening_ = false;
    if (is_dropped_) return;
    if (is_lingering_) return OnLeftover(error, bytes);
    if (error) return OnEndOfInput();
    buffer_.commit(bytes);
    switch (reading_) {
      case Reading::kNothing:
        SkipLineEnds();
        if (is_asked_) Listen();
        return;
      case Reading::kNext:
        SkipLineEnds();
        return buffer_.size() == 0 ? Listen() : ReadHead();
      case Reading::kHead:
      case Reading::kBody:
        return Feed();
    }
  }

  // Who goes in the midst of a request has asked for nothing. But whose answer is on its way may
  // have it already, and that is why it goes: whether it could be written is for that to tell.
  void OnEndOfInput() {
    if (!writer_.is_writing()) return Drop();
    is_input_over_ = true;
  }

  // Until then what is read must be there.
  void ReadBy(milliseconds time) {
    quiet_until_ = std::chrono::steady_clock::now() + time;
    if (!is_timed_ || timer_.expiry() > quiet_until_) Arm();
  }

  // One wait for many requests: it looks whether it has come too early, and then waits again.
  void Arm() {
    is_timed_ = true;
    timer_.expires_at(quiet_until_);
    timer_.async_wait([weak = this->weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (self != nullptr && !error) self->OnTime();
    });
  }

  void OnTime() {
    is_timed_ = false;
    if (reading_ == Reading::kNothing && !is_lingering_) return;
    if (std::chrono::steady_clock::now() < quiet_until_) return Arm();
    Drop();
  }

  void ReadHead() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(world_.limits.header_bytes_max));
    parser_->body_limit(world_.limits.body_bytes_max);
    reading_ = Reading::kHead;
    ReadBy(world_.limits.head_max);
    Feed();
  }

  // What is there to the parser, as far as it goes now.
  void Feed() {
    error_code error;
    while (!error && !IsRead() && buffer_.size() > 0) {
      buffer_.consume(parser_->put(buffer_.data(), error));
    }
    if (error == http::error::need_more) error = {};
    const bool is_head = reading_ == Reading::kHead;
    if (!error && !is_head && !TakeIncoming()) return RefuseBody();
    if (!error && !IsRead()) return Listen();
    reading_ = Reading::kNothing;
    is_head ? OnHead(error) : OnRequest(error);
  }

  bool IsRead() const {
    return reading_ == Reading::kHead ? parser_->is_header_done() : parser_->is_done();
  }

  // What is refused is not read to its end.
  void OnHead(error_code error) {
    if (error) return OnBadRequest(error);
    is_idle_ = false;
    Note(parser_->get());
    std::optional<HttpResponse> refused;
    if (const auto refusal = WhyRefused(parser_->get())) {
      refused = world_.service.Refusal(refusal->status, refusal->why);
    } else {
      HttpService::Begun begun = world_.service.Begin(HeadWithSender());
      refused = std::move(begun.refused);
      if (begun.upgrade) return Leave(*std::move(begun.upgrade));
      if (begun.texts) return SpeakInTexts(*std::move(begun.texts));
      go_on_ = std::move(begun.go_on);
      body_max_ = std::min(begun.body_max.value_or(world_.limits.body_max), world_.limits.body_max);
    }
    if (refused) {
      go_on_ = nullptr;
      return AnswerAndEnd(*std::move(refused));
    }
    if (expects_) return SayContinue();
    ReadBody();
  }

  // Of the head, what is needed when it is gone.
  template <typename Request>
  void Note(const Request& request) {
    version_ = request.version();
    is_head_ = request.method() == http::verb::head;
    keeps_alive_ = request.keep_alive() && ++requests_ < world_.limits.requests_max;
    expects_ = IsContinueExpected(request);
  }

  void OnBadRequest(const error_code& error) {
    const std::optional<HeadRefusal> bad = WhyBad(error);
    go_on_ = nullptr;
    if (!bad) return Drop();
    is_idle_ = false;
    Note(parser_->get());
    AnswerAndEnd(world_.service.Refusal(bad->status, bad->why));
  }

  // Who says that much will come, and is slow, takes no room before it is there.
  bool TakeIncoming() {
    incoming_.Set(static_cast<std::int64_t>(parser_->get().body().size()));
    return incoming_.bytes() <= kFreeIncomingBytes ||
           world_.held.incoming.load(std::memory_order_relaxed) <=
               std::max(world_.limits.incoming_bytes_max, incoming_.bytes());
  }
  void RefuseBody() {
    reading_ = Reading::kNothing;
    go_on_ = nullptr;
    AnswerAndEnd(world_.service.Refusal(503, "too much is on its way: send it again in a moment"));
  }

  void SayContinue() {
    Allow(world_.limits.write_max);
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue), Then(&ConnectionOver::OnContinueSaid));
  }
  void OnContinueSaid(error_code error, std::size_t /*bytes*/) {
    if (error || is_dropped_) return Drop();
    ReadBody();
  }

  void ReadBody() {
    parser_->eager(true);
    reading_ = Reading::kBody;
    ReadBy(body_max_);
    Feed();
  }

  void OnRequest(error_code error) {
    if (error) return OnBadRequest(error);
    std::string body = std::move(parser_->get().body());
    parser_.reset();
    is_asked_ = true;
    auto go_on = std::exchange(go_on_, nullptr);
    std::move(go_on)(std::move(body), std::make_shared<Reply>(this->shared_from_this()));
    if (is_asked_ && !is_dropped_) Listen();
  }

  HttpRequest HeadWithSender() {
    HttpRequest head = RequestOf(parser_->get());
    head.subject = Subject();
    head.peer = Peer();
    head.scheme = kHasTls ? "https" : "http";
    head.is_of_known_client = knows_its_client_;
    head.cut_off = CutOff();
    return head;
  }

  std::string Subject() {
    if constexpr (kHasTls) return Certificates::SubjectOfPeer(stream_.native_handle());
    return {};
  }

  std::string Peer() {
    if (!client_.empty()) return client_;
    error_code gone;
    const auto endpoint = socket().socket().remote_endpoint(gone);
    return gone ? "a client that is gone" : PeerText(endpoint);
  }

  std::function<void()> CutOff() {
    return [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->Close();
    };
  }

  // --- leaving HTTP

  // Nothing else may be under way, a read ahead neither: what came behind the head would belong to
  // nobody.
  bool CanUpgrade() {
    if (version_ >= 11 && parser_->is_done() && buffer_.size() == 0 && !is_listening_) return true;
    AnswerAndEnd(world_.service.Refusal(
        400, "an upgrade is of HTTP/1.1, and nothing stands behind it before it is answered"));
    return false;
  }

  std::string AnswerTo(const std::string& protocol) {
    return WebSocketAnswer(std::string(parser_->get()[http::field::sec_websocket_key]), protocol);
  }

  void Leave(HttpService::Upgrade upgrade) {
    if (!CanUpgrade()) return;
    std::string answer = AnswerTo(upgrade.protocol);
    socket().expires_never();
    is_upgraded_ = true;
    this->SayLeft();
    web_socket_ = std::make_shared<WebSocketOver<Stream>>(std::move(stream_));
    web_socket_->Accept(std::move(answer),
                        [self = this->shared_from_this(), take = std::move(upgrade.take)](
                            error_code error, std::size_t /*bytes*/) mutable {
                          self->Guarded([&] { self->OnUpgraded(error, std::move(take)); });
                        });
  }

  void OnUpgraded(error_code error, absl::AnyInvocable<void(HandedStream) &&> take) {
    if (error || is_dropped_) return Drop();
    std::move(take)(HandedStream(std::move(web_socket_)));
  }

  void SpeakInTexts(HttpService::Texts wanted) {
    if (!CanUpgrade()) return;
    socket().expires_never();
    is_upgraded_ = true;
    const auto texts = std::make_shared<WebSocketMessages<Stream>>(
        std::move(stream_), typename WebSocketMessages<Stream>::World{world_.limits, world_.held,
                                                                      this->shared_from_this()});
    texts_ = texts;
    texts->Accept(AnswerTo(wanted.protocol),
                  [texts, self = this->shared_from_this(),
                   take = std::move(wanted.take)](bool is_accepted) mutable {
                    if (!is_accepted || self->is_dropped_) return;
                    self->parser_.reset();
                    self->Guarded([&] { std::move(take)(texts->Give()); });
                  });
  }

  // --- answering ---

  void AnswerAndEnd(HttpResponse response) {
    keeps_alive_ = false;
    Answer(std::move(response));
  }

  void Answer(HttpResponse response) {
    if (is_dropped_) return;
    is_asked_ = false;
    gone_ = nullptr;
    incoming_.Set(0);
    writer_.Write(std::move(response),
                  {.version = version_, .is_of_head = is_head_, .keeps_alive = keeps_alive_});
  }

  // Of AnswerWriter.
  void OnAnswered(error_code error, bool keeps_alive) {
    if (error || is_dropped_ || is_input_over_) return Drop();
    if (keeps_alive) return Await();
    End();
  }

  void End() {
    is_lingering_ = true;
    ReadBy(kLingerMax);
    if constexpr (kHasTls) {
      Allow(kLingerMax);
      stream_.async_shutdown([self = this->shared_from_this()](error_code) { self->Drop(); });
    } else {
      error_code ignored;
      socket().socket().shutdown(asio::socket_base::shutdown_send, ignored);
      buffer_.clear();
      if (!is_listening_) ReadLeftover({}, 0);
    }
  }

  // The end of TLS reads by itself, below.
  void OnLeftover(error_code error, std::size_t bytes) {
    if constexpr (!kHasTls) ReadLeftover(error, bytes);
  }

  // Until the client has read and closes, too, or it takes too long.
  void ReadLeftover(error_code error, std::size_t bytes) {
    leftover_ += bytes;
    if (error || leftover_ > kLingerBytesMax) return Drop();
    Allow(kLingerMax);
    socket().async_read_some(buffer_.prepare(kReadAheadBytes), Then(&ConnectionOver::ReadLeftover));
  }

  const World world_;
  // Not there any more once it has left HTTP.
  Stream stream_;
  const asio::any_io_executor executor_{stream_.get_executor()};
  const bool knows_its_client_;
  const std::string client_;
  beast::flat_buffer buffer_{world_.limits.header_bytes_max + kReadAheadBytes};
  // While something is read, or it is awaited that the client ends.
  asio::steady_timer timer_{executor_};
  std::chrono::steady_clock::time_point quiet_until_{};
  bool is_timed_ = false;
  bool is_listening_ = false;
  Reading reading_ = Reading::kNothing;
  // What is read while a request is answered, until it stands behind what is there.
  std::string ahead_;
  bool is_lingering_ = false;
  bool is_input_over_ = false;
  bool is_dropped_ = false;
  bool is_upgraded_ = false;
  // Until its answer has left.
  std::shared_ptr<WebSocketOver<Stream>> web_socket_;
  // Keeps this connection.
  std::weak_ptr<WebSocketMessages<Stream>> texts_;
  // Of the request.
  std::optional<RequestParser> parser_;
  HttpService::Continue go_on_;
  milliseconds body_max_{};
  unsigned version_ = 11;
  bool is_head_ = false;
  bool expects_ = false;
  bool keeps_alive_ = false;
  std::size_t requests_ = 0;
  HeldBytes incoming_{world_.held.incoming};
  // It is with the service, which has not answered.
  bool is_asked_ = false;
  std::function<void()> gone_;
  AnswerWriter<ConnectionOver, Stream> writer_{*this, stream_, world_};
  std::size_t leftover_ = 0;
};

}  // namespace

void LogBrokenHandler(const std::exception& wrong) {
  static LogLimit limit(kBrokenEvery);
  if (const auto unsaid = limit.Admit()) {
    spdlog::error("a connection of HTTP ends, for it failed: {}{}", wrong.what(), Unsaid(*unsaid));
  }
}

std::shared_ptr<HttpConnection> MakeConnection(asio::generic::stream_protocol::socket socket,
                                               const Doorway& doorway,
                                               const HttpConnection::World& world,
                                               std::string client) {
  PlainStream plain(std::move(socket));
  const bool knows_its_client = doorway.knows_its_clients && client.empty();
  if (doorway.certificates != nullptr) {
    // What is spoken with holds on to it.
    const auto content = doorway.certificates->content();
    return std::make_shared<ConnectionOver<TlsStream>>(
        TlsStream(std::move(plain), *content->context), knows_its_client, world, std::move(client));
  }
  return std::make_shared<ConnectionOver<PlainStream>>(std::move(plain), knows_its_client, world,
                                                       std::move(client));
}

}  // namespace wharf
