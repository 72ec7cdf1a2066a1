// PeerOutbox: the messages of the consensus on their way to the peers: what is small by the stream
// for what is small, entries by the other. That a member needs a snapshot goes to where it takes
// the files from.
//
// Used on the node's thread, by RaftNode.
#pragma once

#include <functional>
#include <string>

#include "replication/node/outbox.h"
#include "replication/node_message.h"
#include "replication/peers/peers.h"

namespace wharf {

class PeerOutbox final : public Outbox {
 public:
  using Tell = std::function<void(RaftId to)>;

  // What could not be sent is told, later: the core must not be called while it sends. `offered`:
  // a snapshot was, and whatever becomes of it the core hears.
  PeerOutbox(Peers& peers, Tell unreachable, Tell offered)
      : peers_(peers), unreachable_(std::move(unreachable)), offered_(std::move(offered)) {}

  void Send(RaftId to, MessageClass travels, std::string message) override {
    const bool is_offer = travels == MessageClass::kSnapshot;
    const Traffic traffic = travels == MessageClass::kAppend ? Traffic::kBulk : Traffic::kSmall;
    if (is_offer) offered_(to);
    std::string whole =
        EncodeNodeMessage(is_offer ? NodeMessageKind::kSnapshotOffer : NodeMessageKind::kConsensus,
                          std::move(message));
    if (!peers_.Send(NodeId(to), traffic, std::move(whole))) unreachable_(to);
  }

 private:
  Peers& peers_;
  const Tell unreachable_;
  const Tell offered_;
};

}  // namespace wharf
