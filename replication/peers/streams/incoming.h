// Incoming: a connection that somebody made to this node: first a stranger, then the stream by
// which a member sends one kind of traffic, an invitation, or a client that a member brings.
//
// Owned by Peers, used on its strand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/invitation.h"
#include "replication/peers/admission/live_processes.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/relay/relay_request.h"
#include "replication/peers/streams/framed_stream.h"
#include "replication/peers/streams/pulse.h"

namespace wharf {

class Incoming final : private FramedStream::User {
 public:
  // Who is told; outlives it. Each may let go of it, but in OnMessage.
  class Owner {
   public:
    virtual ~Owner() = default;
    // It is a member's stream from now on.
    virtual void OnMember(Incoming& stream) = 0;
    virtual void OnMessage(Incoming& stream, std::string message) = 0;
    // Anything else that shows that it is there.
    virtual void OnHeard(Incoming& stream) = 0;
    // It waits for Answer.
    virtual void OnInvited(Incoming& stream, Invitation invitation) = 0;
    // A member brings a client. Ok: the stream was taken over (HandOver), and this one is gone.
    virtual Status OnRelay(Incoming& stream, const RelayRequest& request) = 0;
    // `from`: who it said that it was, if it came so far.
    virtual void OnRefused(const std::optional<NodeId>& from, const std::string& sentence) = 0;
    // The last call.
    virtual void OnGone(Incoming& stream) = 0;
  };

  // The ticket is given back when nothing is left of the connection.
  Incoming(PeerWorld& world, boost::asio::ip::tcp::socket socket,
           std::shared_ptr<const void> ticket, Owner& owner);
  ~Incoming() override;

  // Nothing while it is a stranger.
  const std::optional<Hello>& hello() const { return hello_; }
  bool is_member() const { return pulse_ != nullptr; }

  // What became of the invitation. It must still be there: nothing was told of its end.
  void Answer(const Status& taken);
  // Of a relay: says that the client is served, and leaves the stream to whoever carries it.
  std::shared_ptr<FramedStream> HandOver();
  // Whether the other end of the connection is on this machine.
  bool is_local() const { return is_local_; }
  // Ends it with a sentence for the other end, and calls OnGone.
  void Refuse(const Status& why);

 private:
  // --- FramedStream::User ---
  void OnBegun() override {}
  Status OnFrame(Frame frame) override;
  void OnRoom() override {}
  void OnEnd(const Status& why) override;

  Status OnFirst(const Frame& frame);
  Status OnHello(const Frame& frame);
  Status OnRelay(const Frame& frame);
  void TurnAway(const Status& why);
  Status OnInvitation(const Frame& frame);
  Status Admit(const Hello& hello);
  void BeMember(const Hello& hello);
  void Tell(const Status& why);
  void LetGo();
  std::string Name() const;

  PeerWorld& world_;
  Owner& owner_;
  const std::string where_;
  const bool is_local_;
  std::shared_ptr<FramedStream> stream_;
  // What it said, whether it was believed or not.
  std::optional<Hello> hello_;
  bool has_invited_ = false;
  LiveProcesses::Presence presence_;
  std::unique_ptr<Pulse> pulse_;
};

}  // namespace wharf
