// Relays: the clients that this node brings to the one that leads, and those that others bring.
//
// They share the port and the proofs of the peers, and go when the node at the other end is lost. A
// burst of clients that come back is dialled for a few at a time. Owned by Peers, used on its
// strand.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>

#include "replication/peers/member.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/relay/relay.h"
#include "replication/peers/relay/relay_dial.h"
#include "replication/peers/relay/relayed_client.h"
#include "replication/peers/streams/framed_stream.h"
#include "storage/base/descriptor.h"

namespace wharf {

class Relays {
 public:
  // At the same time, each way.
  static constexpr std::size_t kMax = 5000;
  static constexpr std::size_t kDialsMax = 16;

  // Gets the connection back that could not be brought there.
  using Undone = std::function<void(Descriptor connection)>;

  explicit Relays(PeerWorld& world) : world_(world) {}

  void Bring(Member to, RelayedClient client, Descriptor connection, Undone undone);
  // The stream by which another node brought a client, and a connection to this one's door.
  void Take(NodeId from, std::shared_ptr<FramedStream> stream, Descriptor connection);
  bool has_room() const { return taken_ < kMax; }

  // The node cannot be reached any more.
  void DropOf(NodeId node);
  void Stop();

 private:
  struct Waiting {
    Member to;
    RelayedClient client;
    Descriptor connection;
    Undone undone;
  };
  // Dials, or carries.
  struct Carried {
    NodeId other{};
    bool is_brought = false;  // By this node.
    // While it dials.
    Waiting brought{};
    std::unique_ptr<RelayDial> dial{};
    std::shared_ptr<Relay> relay{};
  };
  using Place = std::list<Carried>::iterator;

  void DialNext();
  void OnDialled(Place place, Result<std::shared_ptr<FramedStream>> stream);
  void Carry(Place place, std::shared_ptr<FramedStream> stream, Descriptor connection);
  void Forget(Place place);

  PeerWorld& world_;
  std::deque<Waiting> waiting_;
  std::list<Carried> carried_;
  std::size_t dials_ = 0;
  std::size_t brought_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace wharf
