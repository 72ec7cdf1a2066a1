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

std::string ToText(beast::string_view view) { return {view.data(), view.size()}; }

bool IsEqual(beast::string_view one, const char* other) { return beast::iequals(one, other); }

// Why bytes are refused that are no request; nothing of those that end or fail.
struct BadRequest {
  unsigned status;
  std::string why;
};
std::optional<BadRequest> WhyBad(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return BadRequest{431, "the header is too long"};
  }
  if (error == http::error::body_limit) return BadRequest{413, "the body is too long"};
  const bool is_bad = error.category() == make_error_code(http::error::bad_value).category() &&
                      error != http::error::end_of_stream && error != http::error::partial_message;
  if (is_bad) return BadRequest{400, "this is no HTTP: " + error.message()};
  return std::nullopt;
}

// The path of a target, with its query. The absolute form is what goes to proxies, and a server
// takes it as well (RFC 9112 3.2.2), if it names whom the request names as its host: else two who
// read it could see two. Nothing: it is neither.
std::optional<std::string> PathOf(const std::string& target, const std::string& host) {
  if (target.starts_with('/')) return target;
  const std::size_t authority = target.find("://");
  if (authority == std::string::npos || host.empty()) return std::nullopt;
  const bool is_http = beast::iequals(target.substr(0, authority), "http") ||
                       beast::iequals(target.substr(0, authority), "https");
  const std::size_t end = std::min(target.find_first_of("/?", authority + 3), target.size());
  const std::string named = target.substr(authority + 3, end - authority - 3);
  if (!is_http || !beast::iequals(named, host)) return std::nullopt;
  const std::string rest = target.substr(end);
  return rest.starts_with('/') ? rest : '/' + rest;
}

// A name and a value each.
template <typename Request>
HttpFields FieldsOf(const Request& request) {
  HttpFields fields;
  for (const auto& field : request) {
    fields.emplace_back(ToText(field.name_string()), ToText(field.value()));
  }
  return fields;
}

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
  using Head = http::response<http::empty_body>;
  using Whole = http::response<http::string_body>;

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
  // A whole answer is one piece.
  void AllowPiece() {
    const auto left = std::chrono::duration_cast<milliseconds>(answer_until_ - world_.now());
    Allow(std::clamp(left, milliseconds(0), world_.limits.write_max));
  }
  bool IsTooLong() const { return world_.now() >= answer_until_; }

  // Whatever is under way ends, and who waits for something for this client hears it.
  void Drop() {
    CloseSocket();
    timer_.cancel();
    is_dropped_ = true;
    reading_ = Reading::kNothing;
    go_on_ = nullptr;
    if (!is_answering_) Forget();
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
    if (!is_answering_) return Drop();
    keeps_alive_ = false;
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
    std::optional<HttpResponse> refused = Refuse();
    if (!refused) {
      HttpService::Begun begun = world_.service.Begin(HeadOf(parser_->get()));
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
    expects_ = version_ >= 11 && request.count(http::field::expect) > 0;
  }

  void OnBadRequest(const error_code& error) {
    const std::optional<BadRequest> bad = WhyBad(error);
    go_on_ = nullptr;
    if (!bad) return Drop();
    is_idle_ = false;
    Note(parser_->get());
    AnswerAndEnd(world_.service.Refusal(bad->status, bad->why));
  }

  // Two readers of the same bytes must not see two requests where one was sent: what says its
  // length in more than one way is none.
  std::optional<std::string> WhyAmbiguous() const {
    const auto& request = parser_->get();
    const auto lengths = request.count(http::field::content_length);
    const auto encodings = request.count(http::field::transfer_encoding);
    if (lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0)) {
      return "a request says once how long its body is";
    }
    const beast::string_view length = request[http::field::content_length];
    const bool is_number =
        std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return "the length of a body is one number";
    if (encodings == 0) return std::nullopt;
    if (request.version() < 11) return "before HTTP/1.1 there are no chunks";
    if (!IsEqual(request[http::field::transfer_encoding], "chunked")) {
      return "a body comes as it is, or chunked";
    }
    return std::nullopt;
  }

  std::optional<HttpResponse> Refuse() {
    const auto& request = parser_->get();
    const auto refusal = [this](unsigned status, std::string_view why) {
      return std::optional(world_.service.Refusal(status, why));
    };
    if (const auto why = WhyAmbiguous()) return refusal(400, *why);
    const auto hosts = request.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && request.version() >= 11)) {
      return refusal(400, "a request names one host");
    }
    if (request.count(http::field::authorization) > 1) {
      return refusal(400, "a request has one authorization");
    }
    if (request.count(http::field::origin) > 1) return refusal(400, "a request has one origin");
    if (!PathOf(ToText(request.target()), ToText(request[http::field::host]))) {
      return refusal(400, "a path begins with /, or with the host that the request names");
    }
    if (expects_ && !IsEqual(request[http::field::expect], "100-continue")) {
      return refusal(417, "nothing else may be expected than 100-continue");
    }
    return std::nullopt;
  }

  template <typename Request>
  HttpRequest HeadOf(const Request& request) {
    const std::string host = ToText(request[http::field::host]);
    const std::string target = PathOf(ToText(request.target()), host).value_or("");
    const std::size_t question = target.find('?');
    return {.method = ToText(request.method_string()),
            .path = target.substr(0, question),
            .query = question == std::string::npos ? "" : target.substr(question + 1),
            .host = host,
            .origin = ToText(request[http::field::origin]),
            .accept = ToText(request[http::field::accept]),
            .authorization = ToText(request[http::field::authorization]),
            .fields = FieldsOf(request),
            .subject = Subject(),
            .peer = Peer(),
            .scheme = kHasTls ? "https" : "http",
            .is_of_known_client = knows_its_client_,
            .cut_off = CutOff()};
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
    return WebSocketAnswer(ToText(parser_->get()[http::field::sec_websocket_key]), protocol);
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

  template <typename Message>
  void Fill(Message& message, const HttpResponse& response) {
    message.version(version_ == 10 ? 10 : 11);
    message.result(response.status);
    if (!response.type.empty()) message.set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.fields) message.insert(name, value);
  }

  void Answer(HttpResponse response) {
    if (is_dropped_) return;
    is_asked_ = false;
    is_answering_ = true;
    gone_ = nullptr;
    incoming_.Set(0);
    answer_until_ = world_.now() + world_.limits.answer_max;
    written_note_ = std::move(response.written);
    if (response.pieces || response.source) return BeginPieces(std::move(response));
    whole_.emplace();
    Fill(*whole_, response);
    whole_->keep_alive(keeps_alive_);
    // Without a body there is none of a length either.
    if (response.status != 204) whole_->content_length(response.body.size());
    if (!is_head_) whole_->body() = std::move(response.body);
    outgoing_.Set(static_cast<std::int64_t>(whole_->body().size()));
    AllowPiece();
    http::async_write(stream_, *whole_, Then(&ConnectionOver::OnAnswered));
  }

  // An old client knows no chunks: there a length, or the end of the connection, is the end of the
  // answer.
  void BeginPieces(HttpResponse response) {
    head_.emplace();
    Fill(*head_, response);
    is_chunked_ = head_->version() >= 11;
    if (!is_chunked_ && response.source) head_->content_length(response.source_bytes);
    if (!is_chunked_ && !response.source) keeps_alive_ = false;
    head_->keep_alive(keeps_alive_);
    if (is_chunked_) head_->chunked(true);
    piece_ = std::move(response.body);
    if (!is_head_) {
      pieces_ = std::move(response.pieces);
      source_ = std::move(response.source);
    }
    writer_.emplace(*head_);
    AllowPiece();
    http::async_write_header(stream_, *writer_, Then(&ConnectionOver::OnPieceWritten));
  }

  void OnPieceWritten(error_code error, std::size_t bytes) {
    written_ = {};
    if (error || (!pieces_ && !source_)) return OnAnswered(error, bytes);
    if (is_dropped_) return OnAnswered(asio::error::operation_aborted, 0);
    if (piece_.empty() && source_) return AskForPiece();
    if (piece_.empty()) piece_ = pieces_();
    WritePiece();
  }

  void AskForPiece() {
    outgoing_.Set(0);
    source_([self = this->shared_from_this()](Result<std::string> piece) {
      asio::dispatch(self->executor_, [self, piece = std::move(piece)]() mutable {
        self->OnPiece(std::move(piece));
      });
    });
  }

  // Half an answer must not pass for one.
  void OnPiece(Result<std::string> piece) {
    if (is_dropped_ || !piece.ok()) return OnAnswered(asio::error::operation_aborted, 0);
    piece_ = *std::move(piece);
    WritePiece();
  }

  void WritePiece() {
    if (piece_.empty()) return EndPieces();
    if (IsTooLong()) return OnAnswered(asio::error::timed_out, 0);
    written_ = std::exchange(piece_, {});
    outgoing_.Set(static_cast<std::int64_t>(written_.size()));
    AllowPiece();
    auto next = Then(&ConnectionOver::OnPieceWritten);
    if (!is_chunked_) return asio::async_write(stream_, asio::buffer(written_), std::move(next));
    asio::async_write(stream_, http::make_chunk(asio::buffer(written_)), std::move(next));
  }

  void EndPieces() {
    pieces_ = nullptr;
    source_ = nullptr;
    if (!is_chunked_) return OnAnswered({}, 0);
    AllowPiece();
    asio::async_write(stream_, http::make_chunk_last(), Then(&ConnectionOver::OnAnswered));
  }

  void OnAnswered(error_code error, std::size_t /*bytes*/) {
    auto note = std::exchange(written_note_, nullptr);
    is_answering_ = false;
    Forget();
    // Nothing of it is being written any more, and the connection may be idle for long.
    writer_.reset();
    whole_.reset();
    head_.reset();
    piece_ = {};
    written_ = {};
    if (!error && note) std::move(note)();
    if (error || is_dropped_ || is_input_over_) return Drop();
    if (keeps_alive_) return Await();
    End();
  }

  // Of the answer that is over.
  void Forget() {
    written_note_ = nullptr;
    pieces_ = nullptr;
    source_ = nullptr;
    incoming_.Set(0);
    outgoing_.Set(0);
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
  // Of the answer; from its first byte until it is known what became of the last.
  bool is_answering_ = false;
  HeldBytes outgoing_{world_.held.outgoing};
  std::optional<Whole> whole_;
  std::optional<Head> head_;
  std::optional<http::response_serializer<http::empty_body>> writer_;
  bool is_chunked_ = false;
  // By the world's clock.
  Duration answer_until_{};
  HttpPieces pieces_;
  HttpSource source_;
  absl::AnyInvocable<void() &&> written_note_;
  // To be written next; being written.
  std::string piece_;
  std::string written_;
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
