// Inviter: one attempt to make a node that has no cluster one of this one's.
//
// Owned by Peers, used on its strand.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "replication/peers/admission/invitation.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/streams/dial.h"
#include "replication/peers/streams/framed_stream.h"

namespace wharf {

class Inviter final : private FramedStream::User {
 public:
  // Ok: the node has taken it, and has it on its disk. After anything else it may have it, too,
  // if its answer was lost; the same invitation may be sent again.
  using Done = std::function<void(const Status& answer)>;

  // `done` is called once, later, and may destroy it.
  Inviter(PeerWorld& world, Invitation invitation, const std::string& address, Done done);
  ~Inviter() override;

 private:
  void OnDialled(Result<boost::asio::ip::tcp::socket> dialled);

  // --- FramedStream::User ---
  void OnBegun() override;
  Status OnFrame(Frame frame) override;
  void OnRoom() override {}
  void OnEnd(const Status& why) override { Tell(why); }

  void Tell(const Status& answer);

  PeerWorld& world_;
  const Invitation invitation_;
  Done done_;
  std::unique_ptr<Dial> dial_;
  std::shared_ptr<FramedStream> stream_;
};

}  // namespace wharf
