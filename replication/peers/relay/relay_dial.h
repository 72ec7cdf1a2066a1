// RelayDial: one attempt to have a stream to the door of another node, for a client of this one's.
//
// Owned by Relays, used on the strand of the peers.
#pragma once

#include <functional>
#include <memory>

#include "replication/peers/member.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/relay/relayed_client.h"
#include "replication/peers/streams/dial.h"
#include "replication/peers/streams/framed_stream.h"

namespace wharf {

class RelayDial final : private FramedStream::User {
 public:
  // The stream, whose other end serves the client from now on, or why there is none.
  using Done = std::function<void(Result<std::shared_ptr<FramedStream>>)>;

  // `done` is called once, later, and may destroy it.
  RelayDial(PeerWorld& world, Member to, RelayedClient client, Done done);
  ~RelayDial() override;

 private:
  void OnDialled(Result<boost::asio::ip::tcp::socket> dialled);

  // --- FramedStream::User ---
  void OnBegun() override;
  Status OnFrame(Frame frame) override;
  void OnRoom() override {}
  void OnEnd(const Status& why) override { Tell(why); }

  Status OnWelcome(const Frame& frame);
  void Tell(Result<std::shared_ptr<FramedStream>> result);

  PeerWorld& world_;
  const Member to_;
  const RelayedClient client_;
  Done done_;
  std::unique_ptr<Dial> dial_;
  std::shared_ptr<FramedStream> stream_;
};

}  // namespace wharf
