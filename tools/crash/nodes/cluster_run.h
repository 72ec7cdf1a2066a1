// ClusterRun: mixed load from a seed on a broker of several nodes, to which something happens again
// and again; then the judgement.
//
// One round is one life: one node leads, its queues are counted, everybody works, and at an
// acknowledgement that was drawn by lot a fault strikes. Clients know all nodes, and go to the next
// leader by themselves; what has no answer is unknown, and the next life shows what became of it.
// Some faults go on while the next leader is looked for and while its queues are counted. At the
// end all is made good, everything is received and completed, and all nodes must have the same: the
// cluster is asked, and their rows are compared when they have stopped.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tools/crash/nodes/fault.h"
#include "tools/crash/nodes/fault_injector.h"
#include "tools/crash/nodes/node_set.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/mixed_load.h"
#include "tools/crash/runs/standstill.h"

namespace wharf::crash {

class ClusterRun {
 public:
  struct Options {
    NodeSet::Options nodes;
    // By which clients come; nodes listen for them.
    Doors doors{};
    std::uint64_t rounds = 10;
    std::uint64_t seed = 1;
    std::vector<FaultKind> faults;
    // Asked between two rounds: whether this was the last.
    std::function<bool()> is_asked_to_end = [] { return false; };
  };
  struct Counts {
    std::uint64_t rounds = 0;
    // By kind.
    std::array<std::uint64_t, kFaultNames.size()> faults{};
    // On their way to a new node.
    std::uint64_t snapshots_broken = 0;
    // They were invited, and nobody knew of it afterwards.
    std::uint64_t nodes_emptied = 0;
  };

  explicit ClusterRun(Options options);

  // An error if it cannot go on; what the broker did wrong is in the history.
  Status Run();

  // After Run, also if it failed.
  const History& history() const { return load_.history(); }
  const Counts& counts() const { return counts_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  Status Round(FaultDeck& deck);
  // Until a node leads; from when on there could be a leader, it is counted.
  Status Start(LifeRecord& life);
  Status TakeStock(bool is_first);
  Status Live(LifeRecord& life, const Fault& fault);
  // How the machine did in it, for the record.
  void Weigh(LifeRecord& life);
  Status Heal();
  // What is left is received.
  Status Drain();
  Status End();

  const Options options_;
  Dice dice_;
  FaultDeck deck_;
  // Of the last round, where there is an older version.
  FaultDeck upgrade_;
  MixedLoad load_;
  NodeSet nodes_;
  FaultInjector injector_;
  Standstill standstill_;
  Counts counts_;
  // That nobody has made good yet.
  std::optional<Fault> fault_;
  // From the blow on; where it spares who leads, from its end on.
  Time can_lead_since_;
};

}  // namespace wharf::crash
