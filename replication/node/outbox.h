// Outbox: where a node leaves its messages for other nodes.
//
// It may lose, delay, repeat and reorder them, and never waits. Used on the node's thread.
#pragma once

#include <string>

#include "replication/core/raft_core.h"

namespace wharf {

class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void Send(RaftId to, MessageClass travels, std::string message) = 0;
};

}  // namespace wharf
