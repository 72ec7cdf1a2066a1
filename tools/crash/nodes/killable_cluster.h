// KillableCluster: a broker of several nodes, of which whoever leads is killed, and started again
// when another one leads.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

#include "tools/crash/nodes/node_set.h"
#include "tools/crash/runs/killable_broker.h"

namespace wharf::crash {

class KillableCluster final : public KillableBroker {
 public:
  explicit KillableCluster(NodeSet::Options options) : nodes_(std::move(options)) {}

  Status Start() override;
  void Kill() override;
  Status GoOn() override;
  // An error if the nodes do not hold the same in the end.
  Status Stop() override { return nodes_.StopEqual(); }
  std::string address() override { return nodes_.addresses(); }

 private:
  Status FindLeader();

  NodeSet nodes_;
  std::atomic<std::size_t> leader_ = 0;
};

}  // namespace wharf::crash
