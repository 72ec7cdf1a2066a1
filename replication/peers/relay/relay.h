// Relay: carries the bytes of one client's connection between a socket of this machine and a stream
// to another node, both ways, as they are: what is said in them, TLS or not, is between the client
// and the door.
//
//   client <-> socket | Relay <-> FramedStream <-> Relay | socket <-> door
//
// It is the same at both ends. What cannot be written is not read: a slow reader holds the writer
// back all the way. Owned by Relays, used on the strand of the peers.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/generic/stream_protocol.hpp>

#include "replication/peers/streams/framed_stream.h"
#include "replication/peers/streams/strand_timer.h"
#include "storage/base/status.h"

namespace wharf {

class Relay final : public std::enable_shared_from_this<Relay>, private FramedStream::User {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  // Of what goes one way, in one piece.
  static constexpr std::size_t kPieceBytes = std::size_t{16} << 10;
  // What has come from the other node and is not written: then nothing more is read from there.
  static constexpr std::size_t kHeldBytesMax = std::size_t{64} << 10;

  // Whose executor is the strand. `ended` is called once, later, unless it is dropped before.
  Relay(std::shared_ptr<FramedStream> stream, Socket socket, std::function<void()> ended);
  ~Relay() override;

  void Start();
  // Ends both connections.
  void Drop();

 private:
  // --- FramedStream::User ---
  void OnBegun() override {}
  Status OnFrame(Frame frame) override;
  void OnRoom() override;
  void OnEnd(const Status& why) override;

  void ReadSocket();
  void OnRead(const boost::system::error_code& error, std::size_t bytes);
  void WriteSocket();
  void OnWritten(const boost::system::error_code& error);
  // One way is over: the other has a while.
  void EndWay(bool& has_ended);
  void End();
  void CloseSocket();

  std::shared_ptr<FramedStream> stream_;  // Null when it is over.
  Socket socket_;
  std::function<void()> ended_;
  StrandTimer rest_;
  // Of what one end does not take.
  StrandTimer socket_stalls_;
  StrandTimer stream_stalls_;
  std::array<char, kPieceBytes> piece_;
  bool is_reading_ = false;
  std::string held_;
  std::string leaving_;
  bool is_writing_ = false;
  bool has_socket_ended_ = false;
  bool has_stream_ended_ = false;
};

}  // namespace wharf
