// WebSocketOver: a WebSocket (RFC 6455) that a connection of HTTP has become, as a stream of bytes
// for the door that serves it from then on.
//
// Where a message ends means nothing: what is read is what comes next of any of them, and what is
// written at once is one. So nothing is put together here, and no message is held. Pings are
// answered while something is read. What breaks the rules of the protocol is closed with the code
// that says so, and is an error to who reads. On the strand of the connection that it was.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "broker/doors/common/handed_stream.h"

namespace wharf {

// Of one message, in however many pieces it comes; one without end ends there. More than the
// largest message of any entity, for clients that send each of theirs as one.
inline constexpr std::size_t kWebSocketMessageBytesMax = std::size_t{128} << 20;
// Until the answer to the upgrade has left; until the other end has closed, too.
inline constexpr std::chrono::seconds kWebSocketHandshakeMax{5};

template <typename Next>
class WebSocketOver final : public HandedStream::Carrier {
 public:
  using Done = HandedStream::Done;
  using Error = boost::system::error_code;

  // Nothing is compressed: a client could have a little become much.
  explicit WebSocketOver(Next next) : stream_(std::move(next)) {
    stream_.set_option(boost::beast::websocket::stream_base::timeout{
        .handshake_timeout = kWebSocketHandshakeMax,
        .idle_timeout = boost::beast::websocket::stream_base::none(),
        .keep_alive_pings = false});
    stream_.read_message_max(kWebSocketMessageBytesMax);
    stream_.auto_fragment(false);
    stream_.binary(true);
  }

  // The answer to the request; `done` is told when it has left, or why it could not.
  template <typename Request, typename Accepted>
  void Accept(const Request& request, const std::string& protocol, Accepted done) {
    stream_.set_option(boost::beast::websocket::stream_base::decorator(
        [protocol](boost::beast::websocket::response_type& response) {
          response.set(boost::beast::http::field::sec_websocket_protocol, protocol);
          response.set(boost::beast::http::field::server, "Wharf");
        }));
    stream_.async_accept(request, std::move(done));
  }

  HandedStream::executor_type executor() override { return stream_.get_executor(); }

  void Read(boost::asio::mutable_buffer into, Done done) override {
    auto heard = [this, into, done = std::move(done)](Error error, std::size_t bytes) mutable {
      if (!error && stream_.got_text()) return RefuseText(std::move(done));
      // A message may be empty, and a stream goes on.
      if (!error && bytes == 0) return Read(into, std::move(done));
      std::move(done)(error, bytes);
    };
    stream_.async_read_some(into, std::move(heard));
  }

  void Write(boost::asio::const_buffer bytes, Done done) override {
    stream_.async_write(bytes, [done = std::move(done)](Error error, std::size_t count) mutable {
      std::move(done)(error, count);
    });
  }

  void Shutdown(HandedStream::Ending ending, Done done) override {
    const bool is_sent_away = ending == HandedStream::Ending::kSentAway;
    End(is_sent_away ? CloseCode::going_away : CloseCode::normal, {}, std::move(done));
  }

  void Close() override { boost::beast::get_lowest_layer(stream_).close(); }

 private:
  using CloseCode = boost::beast::websocket::close_code;

  void RefuseText(Done done) {
    End(CloseCode::unknown_data, boost::asio::error::operation_not_supported, std::move(done));
  }

  // When both have closed `done` hears this error, or why it was not so.
  void End(CloseCode code, Error outcome, Done done) {
    stream_.async_close(code, [outcome, done = std::move(done)](Error error) mutable {
      std::move(done)(outcome ? outcome : error, 0);
    });
  }

  boost::beast::websocket::stream<Next, false> stream_;
};

}  // namespace wharf
