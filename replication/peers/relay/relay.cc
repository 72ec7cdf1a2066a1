#include "replication/peers/relay/relay.h"

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace wharf {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// For the way that is left when the other one is over.
constexpr Duration kRestMax = std::chrono::seconds(60);
// For what was written to be taken, by a client or by the other node.
constexpr Duration kStallMax = std::chrono::seconds(60);

}  // namespace

Relay::Relay(std::shared_ptr<FramedStream> stream, Socket socket, std::function<void()> ended)
    : stream_(std::move(stream)),
      socket_(std::move(socket)),
      ended_(std::move(ended)),
      rest_(socket_.get_executor()),
      socket_stalls_(socket_.get_executor()),
      stream_stalls_(socket_.get_executor()) {
  stream_->set_user(*this);
}

Relay::~Relay() { Drop(); }

void Relay::Start() { ReadSocket(); }

void Relay::Drop() {
  ended_ = nullptr;
  if (stream_ != nullptr) std::exchange(stream_, nullptr)->Drop();
  CloseSocket();
}

// --- from the socket to the other node ---

void Relay::ReadSocket() {
  if (stream_ == nullptr || is_reading_ || has_socket_ended_) return;
  if (!stream_->has_room()) return stream_stalls_.After(kStallMax, [this] { End(); });
  is_reading_ = true;
  socket_.async_read_some(asio::buffer(piece_),
                          [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                            self->OnRead(error, bytes);
                          });
}

void Relay::OnRoom() {
  stream_stalls_.Cancel();
  ReadSocket();
}

void Relay::OnRead(const error_code& error, std::size_t bytes) {
  is_reading_ = false;
  if (stream_ == nullptr) return;
  if (error && error != asio::error::eof) return End();
  stream_->Write(FrameKind::kRelayed, {piece_.data(), bytes});
  if (error) return EndWay(has_socket_ended_);
  ReadSocket();
}

// --- from the other node to the socket ---

// An empty piece says that there are no more.
Status Relay::OnFrame(Frame frame) {
  if (frame.kind != FrameKind::kRelayed || has_stream_ended_) {
    return {ErrorCode::kServiceCommunicationProblem, "a frame that no relay sends"};
  }
  held_ += frame.payload;
  if (held_.size() >= kHeldBytesMax) stream_->HoldReading();
  if (frame.payload.empty()) has_stream_ended_ = true;
  if (!is_writing_) WriteSocket();
  return {};
}

void Relay::WriteSocket() {
  if (stream_ == nullptr) return;
  if (held_.empty()) {
    if (!has_stream_ended_) return;
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    return EndWay(has_stream_ended_);
  }
  is_writing_ = true;
  socket_stalls_.After(kStallMax, [this] { End(); });
  leaving_ = std::exchange(held_, std::string());
  asio::async_write(socket_, asio::buffer(leaving_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->OnWritten(error);
                    });
}

void Relay::OnWritten(const error_code& error) {
  is_writing_ = false;
  socket_stalls_.Cancel();
  if (stream_ == nullptr) return;
  if (error) return End();
  leaving_.clear();
  stream_->GoOnReading();
  WriteSocket();
}

// --- the end ---

void Relay::EndWay(bool& has_ended) {
  has_ended = true;
  const bool is_over = has_socket_ended_ && has_stream_ended_ && !is_writing_ && held_.empty();
  if (is_over) return End();
  rest_.After(kRestMax, [this] { End(); });
}

void Relay::OnEnd(const Status& /*why*/) { End(); }

// What was written to the stream still leaves.
void Relay::End() {
  if (stream_ == nullptr) return;
  std::exchange(stream_, nullptr)->Finish();
  CloseSocket();
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (const auto ended = std::exchange(self->ended_, nullptr)) ended();
  });
}

void Relay::CloseSocket() {
  for (StrandTimer* const timer : {&rest_, &socket_stalls_, &stream_stalls_}) timer->Cancel();
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace wharf
