// Simulation: a cluster, its network, its disks and its clients on one thread, under a seed.
//
// All chance is the seed's, and time is a number, so that a seed that found something finds it
// again. What a run did is in its trace: two runs of a seed have the same.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/base/random.h"
#include "tests/replication/simulation/history.h"
#include "tests/replication/simulation/sim_node.h"

namespace wharf {

class Simulation {
 public:
  Simulation(std::uint64_t seed, RaftId nodes);

  // A time of faults, then one in which everything must come right.
  void Run();

  const History& history() const { return history_; }
  std::uint64_t trace() const { return trace_; }
  // How often each kind of fault happened.
  const std::map<std::string, int>& faults() const { return faults_; }

 private:
  using Time = std::uint64_t;
  using Action = std::function<void()>;

  std::uint64_t Chance(std::uint64_t below) { return random_.Next() % below; }
  SimNode& AnyNode() { return *nodes_[Chance(nodes_.size())]; }
  // Somebody else than this one.
  RaftId Another(RaftId id);

  void After(Time span, Action action);
  void RunUntil(Time end);
  void Every(Time least, Time most, Action action);

  void Send(RaftId from, RaftId to, MessageClass travels, const std::string& message);
  void Deliver(RaftId from, RaftId to, MessageClass travels, const std::string& message);
  SimNode& Asked();
  void Client();
  void Fault();
  RaftId Target();
  void PauseApart(RaftId id);
  void CutLinks();
  void Flap(int times);
  void CutAround(RaftId id);
  void CutOneWay(RaftId id);
  void CutBridge(RaftId id);
  void Restart(SimNode& node);
  void Calm();
  void CheckEnd();
  void Trace(std::string_view what);

  SeededRandom random_;
  History history_;
  std::vector<SimState> snapshots_;
  std::vector<std::unique_ptr<SimNode>> nodes_;

  Time now_ = 0;
  std::uint64_t order_ = 0;
  std::map<std::pair<Time, std::uint64_t>, Action> events_;

  // From, to.
  std::set<std::pair<RaftId, RaftId>> cut_;
  // Of a hundred messages.
  std::uint64_t lost_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t delayed_ = 0;
  // Whose clock is slow; 0: nobody's.
  RaftId slow_ = 0;
  // Who is asked for looks only; 0: nobody.
  RaftId apart_ = 0;
  bool is_calm_ = false;
  bool has_clients_ = true;
  std::uint64_t batches_ = 0;
  std::uint64_t trace_ = 0;
  std::map<std::string, int> faults_;
};

}  // namespace wharf
