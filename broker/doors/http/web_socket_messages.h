// WebSocketMessages: a WebSocket that a connection of HTTP has become, by its messages, which are
// texts (web_socket.h knows the frames).
//
// What it holds has the bounds of HTTP: the bytes of what is read count among those of bodies, and
// a message that has begun is there in the time of a body; what is written counts among answers.
// While nobody wants the next message one is read ahead, so that it is known whether the client is
// there. One that says nothing is asked, and is gone when it says nothing to that either; any byte
// that it sends counts, and each piece that it reads. On the strand of the connection that it was,
// which it keeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "broker/doors/common/held_bytes.h"
#include "broker/doors/http/connection.h"
#include "broker/doors/http/message_socket.h"
#include "broker/doors/http/servicebus/utf8.h"
#include "broker/doors/http/web_socket.h"

namespace wharf {

// Until a close is answered.
inline constexpr std::chrono::seconds kTextCloseMax{5};
// Until a piece of a text is on its way.
inline constexpr std::chrono::seconds kTextPieceTimeMax{60};
// Of a client that says nothing: it is asked, and it is gone.
inline constexpr std::chrono::seconds kTextPingAfter{30};
inline constexpr std::chrono::seconds kTextGoneAfter{120};
// Whoever holds so little is not refused for what others hold.
inline constexpr std::int64_t kTextBytesFree = 64 * 1024;

template <typename Stream>
class WebSocketMessages final : public std::enable_shared_from_this<WebSocketMessages<Stream>> {
 public:
  using Error = boost::system::error_code;
  using Heard = MessageSocket::Heard;
  using Written = MessageSocket::Written;

  struct World {
    const HttpLimits& limits;
    HttpHeld& held;
    // Stays as long as this does.
    std::shared_ptr<void> connection;
  };

  WebSocketMessages(Stream stream, World world)
      : world_(std::move(world)),
        socket_(
            std::make_shared<WebSocketOver<Stream>>(std::move(stream), WebSocketContent::kText)) {}

  // The answer to the request. Once, before everything else.
  void Accept(std::string answer, Written accepted) {
    socket_->Accept(std::move(answer),
                    [self = this->shared_from_this(), accepted = std::move(accepted)](
                        Error error, std::size_t) mutable {
                      if (!error) self->Look();
                      std::move(accepted)(!error);
                    });
  }

  // It drops what it is given if it has not closed it.
  MessageSocketPtr Give() { return std::make_unique<Given>(this->shared_from_this()); }

  // Ends it; what is under way fails.
  void Drop() {
    if (std::exchange(is_dropped_, true)) return;
    socket_->Close();
    timer_.cancel();
    boost::asio::post(executor(), [self = this->shared_from_this()] {
      self->EndReading();
      self->Tell(self->written_, false);
    });
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  // Of who has said nothing yet.
  static constexpr std::size_t kFirstPieceBytes = std::size_t{4} << 10;

  class Given final : public MessageSocket {
   public:
    explicit Given(std::shared_ptr<WebSocketMessages> messages) : messages_(std::move(messages)) {}
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ~Given() override {
      if (!messages_->close_by_) messages_->Drop();
    }
    boost::asio::any_io_executor executor() override { return messages_->executor(); }
    void Read(Heard heard) override { messages_->Read(std::move(heard)); }
    void Write(std::string text, Written written) override {
      messages_->Write(std::move(text), std::move(written));
    }
    void Close(std::uint16_t code, std::string_view reason) override {
      messages_->Close(code, reason);
    }

   private:
    const std::shared_ptr<WebSocketMessages> messages_;
  };

  boost::asio::any_io_executor executor() { return socket_->executor(); }

  // --- reading

  // Not within this call, as who is told reads on.
  void Read(Heard heard) {
    heard_ = std::move(heard);
    boost::asio::post(executor(), [self = this->shared_from_this()] { self->TellOrRead(); });
  }

  void TellOrRead() {
    if (heard_ && !ready_.empty()) {
      std::string text = std::move(ready_.front());
      ready_.pop_front();
      CountIncoming();
      Tell(heard_, std::optional(std::move(text)));
    } else if (heard_ && is_over_) {
      Tell(heard_, std::optional<std::string>());
    }
    ReadPiece();
  }

  bool may_read() const {
    return !is_reading_ && !is_over_ && !is_dropped_ && !close_by_ && ready_.empty() &&
           (heard_ || partial_.size() < kPieceBytes);
  }

  void ReadPiece() {
    if (!may_read()) return;
    is_reading_ = true;
    piece_.resize(partial_.empty() ? kFirstPieceBytes : kPieceBytes);
    socket_->Read(boost::asio::buffer(piece_),
                  [self = this->shared_from_this()](Error error, std::size_t bytes) {
                    self->OnPiece(error, bytes);
                  });
  }

  void OnPiece(Error error, std::size_t bytes) {
    is_reading_ = false;
    last_sign_ = Clock::now();
    if (error) return EndReading();
    if (!Split(std::string_view(piece_).substr(0, bytes))) {
      return Refuse(WebSocketCode::kNoUtf8, "a text is UTF-8");
    }
    CountIncoming();
    const auto all = world_.held.incoming.load(std::memory_order_relaxed);
    if (all > world_.limits.incoming_bytes_max && incoming_.bytes() > kTextBytesFree) {
      return Refuse(WebSocketCode::kTryAgainLater,
                    "too much is on its way: come again in a moment");
    }
    NoteMessage();
    TellOrRead();
  }

  // Into texts and what has begun of the next one. False: one is none.
  bool Split(std::string_view bytes) {
    std::size_t from = 0;
    for (const std::size_t end : socket_->frames().ends()) {
      partial_.append(bytes.substr(from, end - from));
      from = end;
      if (!IsUtf8(partial_)) return false;
      ready_.push_back(std::exchange(partial_, {}));
      read_by_.reset();
    }
    partial_.append(bytes.substr(from));
    return true;
  }

  void CountIncoming() {
    std::size_t bytes = partial_.size();
    for (const std::string& text : ready_) bytes += text.size();
    incoming_.Set(static_cast<std::int64_t>(bytes));
  }

  void NoteMessage() {
    if (!socket_->frames().is_in_message()) {
      read_by_.reset();
    } else if (!read_by_) {
      read_by_ = Clock::now() + world_.limits.body_max;
    }
  }

  void Refuse(WebSocketCode code, std::string_view why) {
    Close(static_cast<std::uint16_t>(code), why);
    ready_.clear();
    EndReading();
  }

  void EndReading() {
    is_over_ = true;
    read_by_.reset();
    partial_ = {};
    piece_ = {};
    CountIncoming();
    if (ready_.empty()) Tell(heard_, std::optional<std::string>());
  }

  // --- writing

  void Write(std::string text, Written written) {
    writing_ = std::move(text);
    left_ = writing_;
    written_ = std::move(written);
    WritePiece(/*is_first=*/true);
  }

  void WritePiece(bool is_first) {
    outgoing_.Set(static_cast<std::int64_t>(left_.size()));
    write_by_ =
        Clock::now() + std::min<Clock::duration>(kTextPieceTimeMax, world_.limits.answer_max);
    const std::string_view piece = left_.substr(0, kPieceBytes);
    left_.remove_prefix(piece.size());
    socket_->WritePiece(
        boost::asio::buffer(piece.data(), piece.size()),
        {.content = WebSocketContent::kText, .is_first = is_first, .is_last = left_.empty()},
        [self = this->shared_from_this()](Error error, std::size_t) {
          self->OnPieceWritten(!error);
        });
  }

  void OnPieceWritten(bool is_written) {
    last_sign_ = Clock::now();
    if (is_written && !left_.empty()) return WritePiece(/*is_first=*/false);
    write_by_.reset();
    writing_ = {};
    left_ = {};
    outgoing_.Set(0);
    Tell(written_, is_written);
  }

  void Close(std::uint16_t code, std::string_view reason) {
    if (close_by_) return;
    close_by_ = Clock::now() + kTextCloseMax;
    socket_->End(code, reason,
                 [self = this->shared_from_this()](Error, std::size_t) { self->Drop(); });
  }

  // --- time

  // Often enough for the shortest of the times.
  Clock::duration Pace() const {
    const Clock::duration shortest =
        std::min<Clock::duration>(world_.limits.body_max, world_.limits.answer_max) / 2;
    return std::clamp<Clock::duration>(shortest, std::chrono::milliseconds(10),
                                       std::chrono::seconds(1));
  }

  void Look() {
    if (is_dropped_) return;
    const auto now = Clock::now();
    const auto is_past = [now](const Deadline& by) { return by && now >= *by; };
    // What we do not read says nothing of who is there.
    if (!is_reading_) last_sign_ = now;
    if (is_past(read_by_) || is_past(write_by_) || is_past(close_by_) ||
        now - last_sign_ >= kTextGoneAfter) {
      return Drop();
    }
    if (now - std::max(last_sign_, asked_at_) >= kTextPingAfter) {
      asked_at_ = now;
      socket_->Ping();
    }
    timer_.expires_after(Pace());
    timer_.async_wait([weak = this->weak_from_this()](Error error) {
      const auto self = weak.lock();
      if (self != nullptr && !error) self->Look();
    });
  }

  // What nobody has thought of ends this connection, and nothing else.
  template <typename Told, typename What>
  void Tell(Told& told, What what) {
    if (!told) return;
    try {
      std::exchange(told, nullptr)(std::move(what));
    } catch (const std::exception& wrong) {
      LogBrokenHandler(wrong);
      Drop();
    }
  }

  const World world_;
  const std::shared_ptr<WebSocketOver<Stream>> socket_;
  boost::asio::steady_timer timer_{socket_->executor()};
  bool is_dropped_ = false;
  Deadline close_by_;
  Clock::time_point last_sign_ = Clock::now();
  Clock::time_point asked_at_{};

  Heard heard_;
  bool is_reading_ = false;
  // Nothing more comes.
  bool is_over_ = false;
  std::string piece_;
  // What has begun, and what is whole and was not asked for.
  std::string partial_;
  std::deque<std::string> ready_;
  Deadline read_by_;
  HeldBytes incoming_{world_.held.incoming};

  std::string writing_;
  // Of that, what was not given to the socket.
  std::string_view left_;
  Written written_;
  Deadline write_by_;
  HeldBytes outgoing_{world_.held.outgoing};
};

}  // namespace wharf
