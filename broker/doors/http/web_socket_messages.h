// WebSocketMessages: a WebSocket that a connection of HTTP has become, by its messages, which are
// texts; RFC 6455 itself is Beast's business.
//
// What it holds has the bounds of HTTP: the bytes of what is read count among those of bodies, and
// a message that has begun is there in the time of a body; what is written counts among answers,
// and is read in the time of one. A client that says nothing for a while is asked by a ping whether
// it is there. On the strand of the connection that it was, which it keeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "broker/doors/common/held_bytes.h"
#include "broker/doors/http/connection.h"
#include "broker/doors/http/message_socket.h"

namespace wharf {

// Of one message.
inline constexpr std::size_t kTextBytesMax = std::size_t{24} << 20;
// Until the answer to the upgrade has left, or a close is answered.
inline constexpr std::chrono::seconds kTextHandshakeMax{5};
// Then a ping is sent; as long again without a word, and the client is gone.
inline constexpr std::chrono::seconds kTextIdleMax{30};

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
      : world_(std::move(world)), socket_(std::move(stream)) {}

  // Answers the request. Once, before everything else.
  template <typename Request>
  void Accept(const Request& request, const std::string& protocol, Written accepted) {
    SetOptions(protocol);
    socket_.async_accept(request, [self = this->shared_from_this(), accepted = std::move(accepted)](
                                      Error error) mutable { std::move(accepted)(!error); });
  }

  // It drops what it is given if it has not closed it.
  MessageSocketPtr Give() { return std::make_unique<Given>(this->shared_from_this()); }

  // Ends it; what is under way fails.
  void Drop() {
    boost::beast::get_lowest_layer(socket_).close();
    read_timer_.cancel();
    write_timer_.cancel();
  }

 private:
  using Timeout = boost::beast::websocket::stream_base::timeout;
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

  class Given final : public MessageSocket {
   public:
    explicit Given(std::shared_ptr<WebSocketMessages> messages) : messages_(std::move(messages)) {}
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ~Given() override {
      if (!messages_->is_closing_) messages_->Drop();
    }
    boost::asio::any_io_executor executor() override { return messages_->socket_.get_executor(); }
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

  void SetOptions(const std::string& protocol) {
    socket_.set_option(Timeout{kTextHandshakeMax, kTextIdleMax, /*keep_alive_pings=*/true});
    socket_.read_message_max(kTextBytesMax);
    socket_.auto_fragment(false);
    socket_.text(true);
    socket_.set_option(boost::beast::websocket::stream_base::decorator(
        [protocol](boost::beast::websocket::response_type& answer) {
          if (!protocol.empty()) {
            answer.set(boost::beast::http::field::sec_websocket_protocol, protocol);
          }
        }));
  }

  // --- reading

  void Read(Heard heard) {
    heard_ = std::move(heard);
    incoming_.Set(0);
    ReadPiece();
  }

  void ReadPiece() {
    socket_.async_read_some(
        buffer_, kPieceBytes,
        [self = this->shared_from_this()](Error error, std::size_t) { self->OnPiece(error); });
  }

  void OnPiece(Error error) {
    if (error) return EndReading(std::nullopt);
    if (incoming_.bytes() == 0 && !socket_.is_message_done()) {
      EndBy(read_timer_, world_.limits.body_max);
    }
    incoming_.Set(static_cast<std::int64_t>(buffer_.size()));
    const auto all = world_.held.incoming.load(std::memory_order_relaxed);
    if (all > std::max(world_.limits.incoming_bytes_max, incoming_.bytes())) {
      return RefuseMessage(kTryAgainLater, "too much is on its way: come again in a moment");
    }
    if (!socket_.is_message_done()) return ReadPiece();
    if (!socket_.got_text()) return RefuseMessage(kUnsupported, "a message here is a text");
    EndReading(boost::beast::buffers_to_string(buffer_.data()));
  }

  void RefuseMessage(std::uint16_t code, std::string_view why) {
    Close(code, why);
    EndReading(std::nullopt);
  }

  void EndReading(std::optional<std::string> text) {
    read_timer_.cancel();
    buffer_ = {};
    Tell(heard_, std::move(text));
  }

  // --- writing

  void Write(std::string text, Written written) {
    writing_ = std::move(text);
    written_ = std::move(written);
    outgoing_.Set(static_cast<std::int64_t>(writing_.size()));
    EndBy(write_timer_, world_.limits.answer_max);
    socket_.async_write(
        boost::asio::buffer(writing_),
        [self = this->shared_from_this()](Error error, std::size_t) { self->OnWritten(!error); });
  }

  void OnWritten(bool is_written) {
    write_timer_.cancel();
    writing_ = {};
    outgoing_.Set(0);
    Tell(written_, is_written);
  }

  void Close(std::uint16_t code, std::string_view reason) {
    if (std::exchange(is_closing_, true)) return;
    const boost::beast::websocket::reason_string told(reason.data(),
                                                      std::min(reason.size(), kReasonBytesMax));
    socket_.async_close(
        boost::beast::websocket::close_reason(
            static_cast<boost::beast::websocket::close_code>(code), {told.data(), told.size()}),
        [self = this->shared_from_this()](Error) { self->Drop(); });
  }

  // --- both

  void EndBy(boost::asio::steady_timer& timer, std::chrono::milliseconds time) {
    timer.expires_after(time);
    timer.async_wait([weak = this->weak_from_this()](Error error) {
      const auto self = weak.lock();
      if (self != nullptr && !error) self->Drop();
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

  static constexpr std::uint16_t kUnsupported = 1003;
  static constexpr std::uint16_t kTryAgainLater = 1013;
  static constexpr std::size_t kReasonBytesMax = 123;

  const World world_;
  boost::beast::websocket::stream<Stream> socket_;
  boost::asio::steady_timer read_timer_{socket_.get_executor()};
  boost::asio::steady_timer write_timer_{socket_.get_executor()};
  boost::beast::flat_buffer buffer_;
  Heard heard_;
  HeldBytes incoming_{world_.held.incoming};
  std::string writing_;
  Written written_;
  HeldBytes outgoing_{world_.held.outgoing};
  bool is_closing_ = false;
};

}  // namespace wharf
