#include "tests/replication/peers/raw_peer.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

std::shared_ptr<RawPeer> RawPeer::Dial(asio::io_context& io, std::uint16_t port) {
  tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), port});
  return std::make_shared<RawPeer>(std::move(socket));
}

void RawPeer::Write(const std::string& bytes) {
  waiting_ += bytes;
  if (leaving_.empty()) WriteNext();
}

void RawPeer::WriteFrame(FrameKind kind, std::string_view payload) {
  std::string bytes;
  writer_.Write(kind, payload, bytes);
  Write(bytes);
}

void RawPeer::WriteNext() {
  leaving_.swap(waiting_);
  if (leaving_.empty()) return;
  asio::async_write(socket_, asio::buffer(leaving_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->leaving_.clear();
                      if (!error) self->WriteNext();
                    });
}

void RawPeer::Read() {
  socket_.async_read_some(asio::buffer(incoming_), [self = shared_from_this()](
                                                       const error_code& error, std::size_t size) {
    if (error) {
      self->has_ended_ = true;
      return;
    }
    self->bytes_.append(self->incoming_.data(), std::min<std::size_t>(size, 4096));
    (void)self->reader_.Feed({self->incoming_.data(), size}, [&self](Frame frame) {
      self->frames_.push_back(std::move(frame));
      return Status();
    });
    self->Read();
  });
}

void RawPeer::Close() {
  error_code ignored;
  socket_.close(ignored);
}

const Frame* RawPeer::Find(FrameKind kind) const {
  for (const Frame& frame : frames_) {
    if (frame.kind == kind) return &frame;
  }
  return nullptr;
}

std::string RawPeer::refusal() const {
  const Frame* const frame = Find(FrameKind::kRefusal);
  return frame == nullptr ? "" : frame->payload;
}

RawListener::RawListener(asio::io_context& io)
    : acceptor_(io, {asio::ip::make_address("127.0.0.1"), 0}) {
  AcceptNext();
}

void RawListener::AcceptNext() {
  acceptor_.async_accept([this, is_there = is_there_](const error_code& error, tcp::socket socket) {
    if (!*is_there || error) return;
    peers_.push_back(std::make_shared<RawPeer>(std::move(socket)));
    on_accept(*peers_.back());
    AcceptNext();
  });
}

}  // namespace wharf
