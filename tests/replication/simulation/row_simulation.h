// RowSimulation: a cluster whose clients append batches of one row each, and look.
//
// Each row is written once in the whole history, so one that is there already was applied twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/replication/simulation/sim_cluster.h"

namespace wharf {

class RowSimulation {
 public:
  RowSimulation(std::uint64_t seed, RaftId nodes);

  // A time of faults, then one in which everything must come right.
  void Run();

  const History& history() const { return cluster_.history(); }
  const SimCluster& cluster() const { return cluster_; }

 private:
  void OnRow(RaftId node, const std::string& key, bool was_there);
  // One of them does something.
  void Client();
  void Append(SimNode& node, const std::string& name, std::size_t bytes);
  void AppendBad(SimNode& node, const std::string& name);
  void Look(SimNode& node);
  void View(SimNode& node, const std::string& name);
  void CheckEnd();

  SimCluster cluster_;
  bool has_clients_ = true;
  std::uint64_t batches_ = 0;
};

}  // namespace wharf
