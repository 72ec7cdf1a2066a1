// PeerOutbox: the messages of the consensus on their way to the peers: what is small by the stream
// for what is small, entries by the other.
//
// Used on the node's thread, by RaftNode.
#pragma once

#include <functional>
#include <string>

#include "replication/cluster_node/node_message.h"
#include "replication/node/outbox.h"
#include "replication/peers/peers.h"

namespace wharf {

class PeerOutbox final : public Outbox {
 public:
  // What could not be sent is told, later: the core must not be called while it sends.
  PeerOutbox(Peers& peers, std::function<void(RaftId to)> unreachable)
      : peers_(peers), unreachable_(std::move(unreachable)) {}

  void Send(RaftId to, MessageClass travels, std::string message) override {
    const Traffic traffic = travels == MessageClass::kSmall ? Traffic::kSmall : Traffic::kBulk;
    std::string whole = EncodeNodeMessage(NodeMessageKind::kConsensus, std::move(message));
    if (!peers_.Send(NodeId(to), traffic, std::move(whole))) unreachable_(to);
  }

 private:
  Peers& peers_;
  const std::function<void(RaftId to)> unreachable_;
};

}  // namespace wharf
