// SimCluster: nodes, the network between them and their disks on one thread, under a seed.
//
// Nodes join and leave, too: one that joins is a node more here, and one that left is stopped a
// while later, for ever.
//
// All chance is the seed's, and time is a number, so that a seed that found something finds it
// again. What a run did is in its trace: two runs of a seed have the same. Clients are the
// caller's: those of plain batches (row_simulation.h), or of whole brokers (broker_story.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/base/random.h"
#include "tests/replication/simulation/history.h"
#include "tests/replication/simulation/sim_node.h"

namespace wharf {

class SimCluster {
 public:
  // A tick of a node is ten of it, an election timeout ten to twenty ticks.
  using Time = std::uint64_t;
  using Action = std::function<void()>;
  using OnRow = std::function<void(RaftId node, const std::string& key, bool was_there)>;

  struct Options {
    std::uint64_t seed = 1;
    RaftId nodes = 3;  // That found the cluster.
    SimFounding founding{};
    SimNode::Sizes sizes{};
    OnRow on_row{};
    // Between two faults.
    Time pause_min = 30;
    Time pause_max = 200;
  };

  explicit SimCluster(Options options);

  // Nodes start and tick; and faults happen now and then, from BeginFaults to Heal or Calm.
  void Start();
  void BeginFaults() { is_calm_ = false; }
  // The network is whole, and all nodes run.
  void Heal();
  // The same, behind a kill of each node.
  void Calm();
  // At the end: somebody leads, and all members have the same state.
  void CheckEqual();
  // Who belongs to the cluster, as far as that was looked at.
  std::vector<SimNode*> members() const;

  Time now() const { return now_; }
  void RunUntil(Time end);
  void RunFor(Time span) { RunUntil(now_ + span); }
  // What comes next; time goes on until then.
  void RunOne();
  void Every(Time least, Time most, Action action);

  std::uint64_t Chance(std::uint64_t below) { return random_.Next() % below; }
  const std::vector<std::unique_ptr<SimNode>>& nodes() const { return nodes_; }
  // Mostly whoever leads, or thinks so; now and then one that does not.
  SimNode& Asked();
  // The one that leads in the latest term; null: nobody.
  SimNode* Leader();
  bool is_calm() const { return is_calm_; }
  // Who is asked for looks only; 0: nobody.
  RaftId apart() const { return apart_; }

  History& history() { return history_; }
  const History& history() const { return history_; }
  std::uint64_t trace() const { return trace_; }
  // How often each kind of fault happened.
  const std::map<std::string, int>& faults() const { return faults_; }
  // How many nodes joined the cluster that had not founded it, and how many left it.
  std::uint64_t joined() const { return joined_; }
  std::uint64_t left() const { return left_; }

 private:
  SimNode& AnyNode();
  // Somebody else than this one.
  RaftId Another(RaftId id);
  void After(Time span, Action action);

  void MakeNode(const Members& members);
  void StartNode(SimNode& node);
  // So many steps, one after the other: who leads invites somebody, or has a learner vote, or
  // somebody leave.
  void ChangeMembers(int steps);
  void ChangeMembersOnce(SimNode& leader, const Members& members);
  // Notes who belongs to the cluster, as this one knows it; who does not any more is stopped.
  Members LookAtMembers(SimNode& leader);
  void Dismiss(RaftId id);
  std::optional<RaftId> NodeThatWaits();

  void Send(RaftId from, RaftId to, MessageClass travels, const std::string& message);
  void Deliver(RaftId from, RaftId to, MessageClass travels, const std::string& message);
  void Fault();
  RaftId Target();
  void PauseApart(RaftId id);
  void CutLinks();
  void Flap(int times);
  void CutAround(RaftId id);
  void CutOneWay(RaftId id);
  void CutBridge(RaftId id);
  void Restart(SimNode& node);
  void Trace(std::string_view what);

  const Options options_;
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
  // Who belongs to the cluster, as of this entry; and who left it, and is stopped in the end.
  std::set<RaftId> members_;
  std::uint64_t members_at_ = 0;
  std::set<RaftId> leaves_;
  std::set<RaftId> gone_;
  std::uint64_t joined_ = 0;
  std::uint64_t left_ = 0;
  // Whose clock is slow; 0: nobody's.
  RaftId slow_ = 0;
  RaftId apart_ = 0;
  bool is_calm_ = true;
  std::uint64_t trace_ = 0;
  std::map<std::string, int> faults_;
};

}  // namespace wharf
