// Peers: the other nodes of the cluster, as the consensus sees them: messages go there and come
// from there, or they do not.
//
// To each member there are two streams, dialled by this node: one for what is small, one for bulk;
// and two come from it. What they say to each other is in README.md. All of it runs on one strand
// of the executor that is given, on however many threads; nothing here waits, neither for a disk
// nor for a peer. The functions may be called on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "replication/peers/admission/hello.h"
#include "replication/peers/admission/inviter.h"
#include "replication/peers/admission/peer_security.h"
#include "replication/peers/member.h"
#include "replication/peers/peer_limits.h"
#include "replication/peers/relay/relays.h"
#include "replication/peers/streams/peer_link.h"
#include "replication/peers/streams/traffic.h"
#include "storage/base/clock.h"
#include "storage/base/descriptor.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf {

class Peers {
 public:
  // Called on the strand, one call after another, until Stop returns; must not wait.
  class Observer {
   public:
    // To be called once, on any thread, when the identity is on the disk, or cannot be.
    using Answer = std::function<void(Status taken)>;

    virtual ~Observer() = default;
    // Of one sender and one kind of traffic in the order of Send, each once or never. Whoever keeps
    // them bounds what he keeps, and throws away: the consensus sends again.
    virtual void OnMessage(NodeId from, Traffic traffic, std::string message) = 0;
    // A stream to it ended: what was sent last may be lost.
    virtual void OnUnreachable(NodeId node) = 0;
    // This node, which has no identity, is invited; or again, as it was before.
    virtual void OnInvited(const Invitation& invitation, Answer answer) = 0;
    // Another member brings a client, over one end of a connection of which the other carries what
    // it says. Ok: it is served. `client.is_local`: on this very machine.
    virtual Status OnRelayed(const RelayedClient& client, Descriptor connection) = 0;
    // Up to which entry of the log this node knows who is a member; 0: it has no list yet.
    virtual std::uint64_t MembersKnownUpTo() = 0;
    // Who leads, as far as this node knows; zero: nobody.
    virtual NodeId Leader() = 0;
  };

  // Whoever was refused last, of those that came to this node.
  struct Refused {
    std::string sentence{};
    Timestamp at{};
  };

  // For the node of this name, which can read up to this level of the format. The clock tells the
  // time of the wall; it and the random numbers are used on the strand from now on. All of them
  // outlive it.
  Peers(const boost::asio::any_io_executor& executor, std::string own_name,
        std::uint64_t highest_level, const PeerSecurity& security, const PeerLimits& limits,
        Clock& wall, Random& random, Observer& observer);
  ~Peers();

  // Once. Lets others in at this endpoint; the port that it got.
  Result<std::uint16_t> Listen(const boost::asio::ip::tcp::endpoint& endpoint);

  // Once: who this node is, from now on, and what its cluster writes. Until then it speaks with
  // nobody but who invites it.
  void BeNode(const NodeIdentity& identity, std::uint64_t level);
  // After BeNode. The others; this node itself may be among them. Streams to and from who is not
  // are ended, as are those to who has another address; others go on. At most kPeersMax. Who is a
  // member by a list that is newer than what this node knows (MembersKnownUpTo) is let in besides,
  // and dialled, while nobody else leads, until this node knows as much.
  void SetMembers(const std::vector<Member>& members);
  // What the cluster writes from now on; streams that there are go on.
  void SetLevel(std::uint64_t level);

  // Whether it is on its way, which is no promise. If not, the node is not there, or does not take
  // so much: for the consensus it is unreachable.
  bool Send(NodeId to, Traffic traffic, std::string message);

  // Invites the node that was started with this name, at this address. `done` is called on the
  // strand, once, unless Stop comes before.
  void Invite(Invitation invitation, const std::string& address, Inviter::Done done);

  // Brings a client of this node to that one, whose door it wants. If it could not be brought there
  // `undone` gets its connection back, on the strand, unless Stop comes before.
  void Relay(NodeId to, RelayedClient client, Descriptor connection, Relays::Undone undone);

  // In the order of SetMembers; behind them those that were let in besides.
  std::vector<PeerStatus> statuses() const;
  Refused last_refused() const;

  // Ends everything and waits until nothing is called any more. Not on a thread of the executor,
  // which must be running.
  void Stop();

 private:
  class Room;
  const std::shared_ptr<Room> room_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace wharf
