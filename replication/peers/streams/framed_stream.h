// FramedStream: frames over a transport, one direction each; the machinery that all streams between
// peers have in common.
//
// It lives as long as its user wants it and something is under way. Of what is to be written only
// little is gathered: a user with more waits until it is asked. Used on the strand of the peers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "replication/peers/streams/frame.h"
#include "replication/peers/streams/strand_timer.h"
#include "replication/peers/streams/transport.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class FramedStream : public std::enable_shared_from_this<FramedStream> {
 public:
  // Never called again after Drop or Finish, or after OnEnd. May let go of the stream inside.
  class User {
   public:
    virtual ~User() = default;
    // The transport has begun: who is at the other end is known, as far as it can be.
    virtual void OnBegun() = 0;
    // An error ends the stream.
    virtual Status OnFrame(Frame frame) = 0;
    // Everything that was written has left: there is room for more.
    virtual void OnRoom() = 0;
    // By itself, and why; once.
    virtual void OnEnd(const Status& why) = 0;
  };

  // Payloads of handshakes.
  static constexpr std::size_t kHandshakeBytesMax = 64 << 10;

  // `deadline` is for everything until Establish.
  static std::shared_ptr<FramedStream> Begin(std::unique_ptr<Transport> transport,
                                             const boost::asio::any_io_executor& strand, End end,
                                             Duration deadline, User& user);

  FramedStream(std::unique_ptr<Transport> transport, const boost::asio::any_io_executor& strand,
               User& user);

  // Another one goes on with it.
  void set_user(User& user) { user_ = &user; }
  // Reads nothing more for now; what was read already still comes.
  void HoldReading() { is_held_ = true; }
  void GoOnReading();
  // For as long as anything of the stream is left.
  void Hold(std::shared_ptr<const void> ticket) { ticket_ = std::move(ticket); }
  // There is so much time again.
  void Extend(Duration deadline);
  // The handshake is over: there is no deadline any more, and frames may be so large.
  void Establish(std::size_t payload_bytes_max);
  // Gathers a frame, and sends it as soon as what went before has left.
  void Write(FrameKind kind, std::string_view payload);
  // Whether nothing waits to be sent behind what is under way.
  bool has_room() const { return gathered_.empty(); }
  std::size_t gathered_bytes() const { return gathered_.size(); }

  // Leaves its user, but sends what was written, waits for the other end to close, and not long.
  void Finish();
  // Leaves its user, and is closed.
  void Drop();

  ProvenName proven_name() { return transport_->proven_name(); }
  // When bytes came last, of any kind.
  Duration heard_at() const { return heard_at_; }

 private:
  void Start(End end, Duration deadline);
  void OnBegun(const Status& begun);
  void ReadNext();
  void OnRead(const boost::system::error_code& error, std::size_t bytes);
  Status Deliver(Frame frame);
  void WriteNext();
  void OnWritten(const boost::system::error_code& error);
  // Reads what still comes, and closes when the other end does, or soon.
  void Linger();
  void ReadAway();
  // Tells its user.
  void Leave(const Status& why);
  void Close();

  const std::unique_ptr<Transport> transport_;
  StrandTimer deadline_;
  User* user_;  // Null once it is left.
  bool is_closed_ = false;
  bool is_reading_ = false;
  bool is_held_ = false;
  bool is_writing_ = false;
  FrameReader reader_{kHandshakeBytesMax};
  FrameWriter writer_;
  std::array<char, 64 << 10> incoming_;
  std::string gathered_;
  std::string leaving_;
  Duration heard_at_{};
  std::shared_ptr<const void> ticket_;
};

}  // namespace wharf
