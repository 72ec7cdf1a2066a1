// WebSocketOver: a WebSocket (RFC 6455) that a connection of HTTP has become, as a stream of bytes
// for the door that serves it from then on.
//
// What is read at once goes on at once, whatever frames it came in, and what is written at once is
// one message, or a piece of one. Of texts it is told where they end, and also that something came
// which carries nothing. Pings are answered while something is read, the last of them if they come
// faster.
// Who breaks the rules is told so by a close with its code, and that is an error to who reads. On
// the strand of the connection that it was.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>

#include "broker/doors/common/handed_stream.h"
#include "broker/doors/http/web_socket_frames.h"

namespace wharf {

// Until the answer to the upgrade has left.
inline constexpr std::chrono::seconds kWebSocketAnswerMax{5};
// Of a client that is told that it broke the rules: for how long, and how much more, it may send
// until it has read that.
inline constexpr std::chrono::seconds kWebSocketLingerMax{1};
inline constexpr std::size_t kWebSocketLingerBytesMax = std::size_t{256} << 10;

template <typename Next>
class WebSocketOver final : public HandedStream::Carrier,
                            public std::enable_shared_from_this<WebSocketOver<Next>> {
 public:
  using Done = HandedStream::Done;
  using Error = boost::system::error_code;

  explicit WebSocketOver(Next next, WebSocketContent content = WebSocketContent::kBinary)
      : next_(std::move(next)), content_(content), frames_(content) {}

  // The answer to the request; `done` is told when it has left, or why it could not.
  void Accept(std::string answer, Done done) {
    frame_ = std::move(answer);
    lowest().expires_after(kWebSocketAnswerMax);
    boost::asio::async_write(next_, boost::asio::buffer(frame_),
                             [self = this->shared_from_this(), done = std::move(done)](
                                 Error error, std::size_t bytes) mutable {
                               self->lowest().expires_never();
                               std::move(done)(error, bytes);
                             });
  }

  HandedStream::executor_type executor() override { return next_.get_executor(); }

  void Read(boost::asio::mutable_buffer into, Done done) override {
    if (frames_.ending()) return EndReading(std::move(done));
    is_reading_ = true;
    next_.async_read_some(into, [self = this->shared_from_this(), into, done = std::move(done)](
                                    Error error, std::size_t bytes) mutable {
      self->is_reading_ = false;
      self->OnRead(error, bytes, into, std::move(done));
    });
  }

  void Write(boost::asio::const_buffer bytes, Done done) override {
    WritePiece(bytes, {.content = content_}, std::move(done));
  }
  void WritePiece(boost::asio::const_buffer bytes, WebSocketPiece piece, Done done) {
    if (is_close_said_) return Fail(std::move(done));
    data_ = bytes;
    piece_ = piece;
    data_done_ = std::move(done);
    WriteNext();
  }
  // Asks the client whether it is there.
  void Ping() {
    if (is_close_said_ || !pong_.empty()) return;
    pong_ = WebSocketPing();
    WriteNext();
  }

  void Shutdown(HandedStream::Ending ending, Done done) override {
    const bool is_sent_away = ending == HandedStream::Ending::kSentAway;
    End(CodeOf(is_sent_away ? WebSocketCode::kGoingAway : WebSocketCode::kNormal), {},
        std::move(done));
  }
  // The same, in words.
  void End(std::uint16_t code, std::string_view reason, Done done) {
    SayClose(code, reason);
    closed_ = std::move(done);
    if (!is_reading_) AwaitClose();
  }

  // What is known of what was read last (web_socket_frames.h).
  const WebSocketFrames& frames() const { return frames_; }

  // Whoever still waits is let go of.
  void Close() override {
    lowest().close();
    const Done read = std::exchange(end_of_reading_, nullptr);
    const Done written = std::exchange(data_done_, nullptr);
    const Done closed = std::exchange(closed_, nullptr);
  }

 private:
  auto& lowest() { return boost::beast::get_lowest_layer(next_); }

  void Fail(Done done) {
    boost::asio::post(next_.get_executor(), [done = std::move(done)]() mutable {
      std::move(done)(boost::asio::error::operation_aborted, 0);
    });
  }

  // --- reading

  void OnRead(Error error, std::size_t bytes, boost::asio::mutable_buffer into, Done done) {
    std::size_t kept = 0;
    if (!error) kept = frames_.Take(static_cast<char*>(into.data()), bytes);
    const auto said = frames_.TakePing();
    if (said.has_value() && !is_close_said_) {
      pong_ = WebSocketPong(*said);
      WriteNext();
    }
    if (closed_) {
      Fail(std::move(done));
      return error ? EndShutdown(error) : AwaitClose();
    }
    const bool is_news = kept > 0 || content_ == WebSocketContent::kText;
    if (error || (is_news && !frames_.ending())) return std::move(done)(error, kept);
    if (kept > 0) return std::move(done)(error, kept);
    Read(into, std::move(done));
  }

  // Of a client that has closed, or broke a rule: it has the answer when this is over.
  void EndReading(Done done) {
    end_of_reading_ = std::move(done);
    lowest().expires_after(kWebSocketLingerMax);
    SayClose(CodeOf(*frames_.ending()), {});
    if (is_all_said()) Leave();
  }

  bool is_all_said() const { return is_close_said_ && close_.empty() && !is_writing_; }

  // To close while bytes of the client are unread would take our word back.
  void Leave() {
    if (frames_.is_closed()) return TellEnd();
    Error ignored;
    lowest().socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
    Linger();
  }
  void Linger() {
    ReadOver([this](Error error, std::size_t bytes) {
      leftover_ += bytes;
      error || leftover_ > kWebSocketLingerBytesMax ? TellEnd() : Linger();
    });
  }
  void TellEnd() {
    if (end_of_reading_) std::exchange(end_of_reading_, nullptr)(boost::asio::error::eof, 0);
  }

  // What nobody wants any more.
  template <typename Then>
  void ReadOver(Then then) {
    rest_.resize(kRestBytes);
    is_reading_ = true;
    next_.async_read_some(boost::asio::buffer(rest_),
                          [self = this->shared_from_this(), then](Error error, std::size_t bytes) {
                            self->is_reading_ = false;
                            then(error, bytes);
                          });
  }

  // --- its end, when the other door wants it

  void AwaitClose() {
    if (frames_.ending()) return EndShutdown({});
    ReadOver([this](Error error, std::size_t bytes) {
      if (error) return EndShutdown(error);
      frames_.Take(rest_.data(), bytes);
      AwaitClose();
    });
  }
  // Both have closed; the last word of ours may be on its way.
  void EndShutdown(Error error) {
    if (!error && !is_all_said()) return;
    if (closed_) std::exchange(closed_, nullptr)(error, 0);
  }

  // --- writing: one thing at a time, and what this protocol says itself before what it carries

  static std::uint16_t CodeOf(WebSocketCode code) { return static_cast<std::uint16_t>(code); }

  void SayClose(std::uint16_t code, std::string_view reason) {
    if (std::exchange(is_close_said_, true)) return;
    pong_.clear();
    close_ = WebSocketClose(code, reason);
    if (data_done_ && !is_writing_data_) Fail(std::exchange(data_done_, nullptr));
    WriteNext();
  }

  void WriteNext() {
    if (is_writing_) return;
    if (!pong_.empty() || !close_.empty()) return WriteOwn();
    if (data_done_) WriteData();
  }

  void WriteOwn() {
    is_writing_ = true;
    frame_ = std::exchange(pong_, {}) + std::exchange(close_, {});
    boost::asio::async_write(
        next_, boost::asio::buffer(frame_),
        [self = this->shared_from_this()](Error error, std::size_t) { self->OnWritten(error); });
  }

  // In one piece, head and all: TLS then takes no record for the head alone.
  void WriteData() {
    is_writing_ = is_writing_data_ = true;
    frame_ = WebSocketHead(data_.size(), piece_);
    frame_.append(static_cast<const char*>(data_.data()), data_.size());
    boost::asio::async_write(next_, boost::asio::buffer(frame_),
                             [self = this->shared_from_this()](Error error, std::size_t) {
                               self->is_writing_data_ = false;
                               Done done = std::exchange(self->data_done_, nullptr);
                               const std::size_t bytes = error ? 0 : self->data_.size();
                               self->OnWritten(error);
                               if (done) std::move(done)(error, bytes);
                             });
  }

  void OnWritten(Error error) {
    is_writing_ = false;
    // It may be idle for long.
    frame_ = std::string();
    if (error) {
      TellEnd();
      return EndShutdown(error);
    }
    WriteNext();
    if (!is_all_said()) return;
    if (end_of_reading_ && !is_reading_) Leave();
    if (closed_ && frames_.ending()) EndShutdown({});
  }

  static constexpr std::size_t kRestBytes = 4096;

  Next next_;
  const WebSocketContent content_;
  WebSocketFrames frames_;
  bool is_reading_ = false;
  // Told when who broke the rules has heard so.
  Done end_of_reading_;
  std::string rest_;
  std::size_t leftover_ = 0;
  // Told when both have closed.
  Done closed_;
  // To be written: what answers a ping; our close; what the other door says.
  std::string pong_;
  std::string close_;
  bool is_close_said_ = false;
  boost::asio::const_buffer data_;
  WebSocketPiece piece_;
  Done data_done_;
  // Being written.
  std::string frame_;
  bool is_writing_ = false;
  bool is_writing_data_ = false;
};

}  // namespace wharf
