// RawPeer: the other end of a stream in the clear, by hand: for what no peer would do.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/streams/frame.h"

namespace wharf {

class RawPeer : public std::enable_shared_from_this<RawPeer> {
 public:
  static std::shared_ptr<RawPeer> Dial(boost::asio::io_context& io, std::uint16_t port);

  explicit RawPeer(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  void Write(const std::string& bytes);
  void WriteFrame(FrameKind kind, std::string_view payload);
  // From now on.
  void Read();
  void Close();

  const std::string& bytes() const { return bytes_; }
  const std::vector<Frame>& frames() const { return frames_; }
  bool has_ended() const { return has_ended_; }
  // The first of this kind, or null.
  const Frame* Find(FrameKind kind) const;
  std::string refusal() const;

 private:
  void WriteNext();

  boost::asio::ip::tcp::socket socket_;
  FrameWriter writer_;
  FrameReader reader_{5 << 20};
  std::string waiting_;
  std::string leaving_;
  std::array<char, 65536> incoming_{};
  std::string bytes_;
  std::vector<Frame> frames_;
  bool has_ended_ = false;
};

// Accepts whoever comes.
class RawListener {
 public:
  explicit RawListener(boost::asio::io_context& io);
  ~RawListener() { *is_there_ = false; }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const std::vector<std::shared_ptr<RawPeer>>& peers() const { return peers_; }
  // Called with each that comes.
  std::function<void(RawPeer&)> on_accept = [](RawPeer&) {};

 private:
  void AcceptNext();

  boost::asio::ip::tcp::acceptor acceptor_;
  std::vector<std::shared_ptr<RawPeer>> peers_;
  const std::shared_ptr<bool> is_there_ = std::make_shared<bool>(true);
};

}  // namespace wharf
