#include "broker/doors/http/connection.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "broker/doors/common/peer_text.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using PlainStream = beast::basic_stream<asio::generic::stream_protocol>;
using TlsStream = beast::ssl_stream<PlainStream>;

// Of what is read ahead, beside headers.
constexpr std::size_t kReadAheadBytes = 16 * 1024;
// A client that is refused while it still sends must be able to read why.
constexpr std::chrono::milliseconds kLingerMax{1000};
constexpr std::size_t kLingerBytesMax = 256 * 1024;

std::string ToText(beast::string_view view) { return {view.data(), view.size()}; }

// What is answered to bytes that are no request; nothing to those that end or fail.
std::optional<HttpResponse> AnswerTo(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return TextResponse(431, "the header is too long");
  }
  if (error == http::error::body_limit) return TextResponse(413, "the body is too long");
  const bool is_bad = error.category() == make_error_code(http::error::bad_value).category() &&
                      error != http::error::end_of_stream && error != http::error::partial_message;
  if (is_bad) return TextResponse(400, "this is no HTTP: " + error.message());
  return std::nullopt;
}

template <typename Stream>
class ConnectionOver final : public HttpConnection,
                             public std::enable_shared_from_this<ConnectionOver<Stream>> {
 public:
  ConnectionOver(Stream stream, bool knows_its_client, const World& world)
      : world_(world), stream_(std::move(stream)), knows_its_client_(knows_its_client) {}

  void Start() override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] { self->Begin(); });
  }

  void Close() override {
    asio::post(stream_.get_executor(), [self = this->shared_from_this()] { self->Drop(); });
  }

 private:
  static constexpr bool kHasTls = std::is_same_v<Stream, TlsStream>;
  using Parser = http::request_parser<http::string_body>;
  using Head = http::response<http::empty_body>;
  using Whole = http::response<http::string_body>;

  auto Then(void (ConnectionOver::*next)(error_code, std::size_t)) {
    return beast::bind_front_handler(next, this->shared_from_this());
  }
  auto& socket() { return beast::get_lowest_layer(stream_); }
  void Allow(std::chrono::milliseconds time) { socket().expires_after(time); }
  // A whole answer is one piece.
  void AllowPiece() {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(answer_until_ - world_.now());
    Allow(std::clamp(left, std::chrono::milliseconds(0), world_.limits.write_max));
  }
  bool IsTooLong() const { return world_.now() >= answer_until_; }
  void Drop() {
    error_code ignored;
    socket().socket().close(ignored);
  }

  // --- reading ---

  void Begin() {
    if constexpr (kHasTls) {
      Allow(world_.limits.request_max);
      stream_.async_handshake(
          asio::ssl::stream_base::server,
          beast::bind_front_handler(&ConnectionOver::OnHandshake, this->shared_from_this()));
    } else {
      ReadNext();
    }
  }

  void OnHandshake(error_code error) {
    if (error) return Drop();
    ReadNext();
  }

  void ReadNext() {
    is_idle_ = true;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(world_.limits.header_bytes_max));
    parser_->body_limit(world_.limits.body_bytes_max);
    Allow(world_.limits.request_max);
    http::async_read_header(stream_, buffer_, *parser_, Then(&ConnectionOver::OnHeader));
  }

  // What is refused is not read to its end.
  void OnHeader(error_code error, std::size_t /*bytes*/) {
    if (error) return OnBadRequest(error);
    is_idle_ = false;
    if (std::optional<HttpResponse> refused = Refuse()) return AnswerAndEnd(*std::move(refused));
    http::async_read(stream_, buffer_, *parser_, Then(&ConnectionOver::OnRequest));
  }

  void OnBadRequest(const error_code& error) {
    std::optional<HttpResponse> answer = AnswerTo(error);
    if (answer) return AnswerAndEnd(*std::move(answer));
    Drop();
  }

  std::optional<HttpResponse> Refuse() {
    const auto& request = parser_->get();
    const auto hosts = request.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && request.version() >= 11)) {
      return TextResponse(400, "a request names one host");
    }
    if (request.count(http::field::authorization) > 1) {
      return TextResponse(400, "a request has one authorization");
    }
    if (request.count(http::field::origin) > 1) {
      return TextResponse(400, "a request has one origin");
    }
    // No browser speaks so old a version that it has no host.
    const std::string host = hosts == 0 ? "localhost" : ToText(request[http::field::host]);
    const Status ours =
        world_.hosts.Check(host, ToText(request[http::field::origin]), kHasTls ? "https" : "http");
    if (!ours.ok()) return TextResponse(403, ours.message());
    if (!request.target().starts_with('/')) return TextResponse(400, "a path begins with /");
    return std::nullopt;
  }

  void OnRequest(error_code error, std::size_t /*bytes*/) {
    if (error) return OnBadRequest(error);
    const auto& request = parser_->get();
    const std::string target = ToText(request.target());
    keeps_alive_ = request.keep_alive();
    Answer(world_.router.Answer({.method = ToText(request.method_string()),
                                 .path = target.substr(0, target.find('?')),
                                 .accept = ToText(request[http::field::accept]),
                                 .authorization = ToText(request[http::field::authorization]),
                                 .subject = Subject(),
                                 .peer = Peer(),
                                 .is_of_known_client = knows_its_client_,
                                 .cut_off = CutOff()}));
  }

  std::string Subject() {
    if constexpr (kHasTls) return Certificates::SubjectOfPeer(stream_.native_handle());
    return {};
  }

  std::string Peer() {
    error_code gone;
    const auto endpoint = socket().socket().remote_endpoint(gone);
    return gone ? "a client that is gone" : PeerText(endpoint);
  }

  std::function<void()> CutOff() {
    return [weak = this->weak_from_this()] {
      if (const auto self = weak.lock()) self->Close();
    };
  }

  // --- answering ---

  void AnswerAndEnd(HttpResponse response) {
    keeps_alive_ = false;
    Answer(std::move(response));
  }

  template <typename Message>
  void Fill(Message& message, const HttpResponse& response) {
    message.version(parser_->get().version() == 10 ? 10 : 11);
    message.result(response.status);
    message.set(http::field::content_type, response.type);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    if (response.status == 405) message.set(http::field::allow, "GET, HEAD");
    if (response.status == 401) {
      message.set(http::field::www_authenticate, R"(Basic realm="wharf", charset="UTF-8")");
    }
  }

  void Answer(HttpResponse response) {
    answer_until_ = world_.now() + world_.limits.answer_max;
    const bool is_head = parser_->get().method() == http::verb::head;
    if (response.pieces) return BeginPieces(std::move(response), is_head);
    whole_.emplace();
    Fill(*whole_, response);
    whole_->keep_alive(keeps_alive_);
    whole_->content_length(response.body.size());
    if (!is_head) whole_->body() = std::move(response.body);
    AllowPiece();
    http::async_write(stream_, *whole_, Then(&ConnectionOver::OnAnswered));
  }

  // An old client knows no chunks: there the end of the connection is the end of the answer.
  void BeginPieces(HttpResponse response, bool is_head) {
    head_.emplace();
    Fill(*head_, response);
    is_chunked_ = head_->version() >= 11;
    if (!is_chunked_) keeps_alive_ = false;
    head_->keep_alive(keeps_alive_);
    head_->chunked(is_chunked_);
    piece_ = std::move(response.body);
    pieces_ = is_head ? nullptr : std::move(response.pieces);
    writer_.emplace(*head_);
    AllowPiece();
    http::async_write_header(stream_, *writer_, Then(&ConnectionOver::OnPieceWritten));
  }

  void OnPieceWritten(error_code error, std::size_t bytes) {
    if (error || !pieces_) return OnAnswered(error, bytes);
    if (piece_.empty()) piece_ = pieces_();
    if (piece_.empty()) return EndPieces();
    if (IsTooLong()) return Drop();
    written_ = std::exchange(piece_, {});
    AllowPiece();
    auto next = Then(&ConnectionOver::OnPieceWritten);
    if (!is_chunked_) return asio::async_write(stream_, asio::buffer(written_), std::move(next));
    asio::async_write(stream_, http::make_chunk(asio::buffer(written_)), std::move(next));
  }

  void EndPieces() {
    pieces_ = nullptr;
    if (!is_chunked_) return OnAnswered({}, 0);
    AllowPiece();
    asio::async_write(stream_, http::make_chunk_last(), Then(&ConnectionOver::OnAnswered));
  }

  void OnAnswered(error_code error, std::size_t /*bytes*/) {
    pieces_ = nullptr;
    written_ = {};
    if (error) return Drop();
    if (keeps_alive_) return ReadNext();
    End();
  }

  void End() {
    Allow(kLingerMax);
    if constexpr (kHasTls) {
      stream_.async_shutdown([self = this->shared_from_this()](error_code) { self->Drop(); });
    } else {
      error_code ignored;
      socket().socket().shutdown(asio::socket_base::shutdown_send, ignored);
      buffer_.clear();
      ReadLeftover({}, 0);
    }
  }

  // Until the client has read and closes, too, or it takes too long.
  void ReadLeftover(error_code error, std::size_t bytes) {
    leftover_ += bytes;
    if (error || leftover_ > kLingerBytesMax) return Drop();
    socket().async_read_some(buffer_.prepare(kReadAheadBytes), Then(&ConnectionOver::ReadLeftover));
  }

  const World world_;
  Stream stream_;
  const bool knows_its_client_;
  beast::flat_buffer buffer_{world_.limits.header_bytes_max + kReadAheadBytes};
  std::optional<Parser> parser_;
  bool keeps_alive_ = false;
  std::optional<Whole> whole_;
  std::optional<Head> head_;
  std::optional<http::response_serializer<http::empty_body>> writer_;
  bool is_chunked_ = false;
  // By the world's clock.
  Duration answer_until_{};
  HttpPieces pieces_;
  // To be written next; being written.
  std::string piece_;
  std::string written_;
  std::size_t leftover_ = 0;
};

}  // namespace

std::shared_ptr<HttpConnection> MakeConnection(asio::generic::stream_protocol::socket socket,
                                               const Doorway& doorway,
                                               const HttpConnection::World& world) {
  PlainStream plain(std::move(socket));
  if (doorway.certificates != nullptr) {
    // What is spoken with holds on to it.
    const auto content = doorway.certificates->content();
    return std::make_shared<ConnectionOver<TlsStream>>(
        TlsStream(std::move(plain), *content->context), doorway.knows_its_clients, world);
  }
  return std::make_shared<ConnectionOver<PlainStream>>(std::move(plain), doorway.knows_its_clients,
                                                       world);
}

}  // namespace wharf
