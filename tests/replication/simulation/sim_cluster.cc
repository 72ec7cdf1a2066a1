#include "tests/replication/simulation/sim_cluster.h"

#include <algorithm>
#include <functional>

#include "tests/replication/shared_library.h"

namespace wharf {
namespace {

constexpr SimCluster::Time kTick = 10;
// So many are there at most, with those that left.
constexpr std::size_t kNodesMax = 12;
constexpr std::size_t kVotersMin = 3;
// A learner that lacks no more entries may vote.
constexpr std::uint64_t kCaughtUpEntries = 10;

Members AllOf(RaftId nodes) {
  Members members;
  for (RaftId id = 1; id <= nodes; ++id) members.voters.push_back(id);
  return members;
}

}  // namespace

SimCluster::SimCluster(Options options) : options_(std::move(options)), random_(options_.seed) {
  SharedLibrary().Seed(static_cast<std::int64_t>(options_.seed));
  const Members founders = AllOf(options_.nodes);
  for (RaftId id = 1; id <= options_.nodes; ++id) MakeNode(founders);
}

void SimCluster::MakeNode(const Members& members) {
  const RaftId id = nodes_.size() + 1;
  SimNode::World world{random_,
                       history_,
                       [this, id](RaftId to, MessageClass travels, const std::string& message) {
                         Send(id, to, travels, message);
                       },
                       [this](Action action) { After(Chance(4), std::move(action)); },
                       [this](Time span, Action action) { After(span, std::move(action)); },
                       [this, id] { Restart(*nodes_[id - 1]); },
                       options_.on_row,
                       snapshots_,
                       options_.founding,
                       options_.sizes};
  nodes_.push_back(std::make_unique<SimNode>(id, members, std::move(world)));
}

SimNode& SimCluster::AnyNode() {
  while (true) {
    SimNode& node = *nodes_[Chance(nodes_.size())];
    if (!gone_.contains(node.id())) return node;
  }
}

RaftId SimCluster::Another(RaftId id) {
  while (true) {
    const RaftId other = AnyNode().id();
    if (other != id) return other;
  }
}

void SimCluster::After(Time span, Action action) {
  events_.emplace(std::pair(now_ + span, ++order_), std::move(action));
}

void SimCluster::RunUntil(Time end) {
  while (!events_.empty() && events_.begin()->first.first <= end) RunOne();
  now_ = std::max(now_, end);
}

void SimCluster::RunOne() {
  now_ = events_.begin()->first.first;
  const Action action = std::move(events_.begin()->second);
  events_.erase(events_.begin());
  action();
}

void SimCluster::Every(Time least, Time most, Action action) {
  After(least + Chance(most - least + 1), [this, least, most, action = std::move(action)] {
    action();
    Every(least, most, action);
  });
}

void SimCluster::Trace(std::string_view what) {
  trace_ = (trace_ * 31 + now_) * 31 + std::hash<std::string_view>()(what);
}

void SimCluster::Start() {
  for (const auto& node : nodes_) StartNode(*node);
  Every(options_.pause_min, options_.pause_max, [this] {
    if (!is_calm_) Fault();
  });
}

void SimCluster::StartNode(SimNode& node) {
  node.Start();
  Every(kTick - 1, kTick + 1, [this, &node] {
    if (node.id() != slow_ || Chance(4) == 0) node.Tick();
  });
}

void SimCluster::ChangeMembers(int steps) {
  if (steps == 0 || is_calm_) return;
  if (SimNode* const leader = Leader()) ChangeMembersOnce(*leader, LookAtMembers(*leader));
  After(20 + Chance(100), [this, steps] { ChangeMembers(steps - 1); });
}

void SimCluster::ChangeMembersOnce(SimNode& leader, const Members& members) {
  for (const RaftId learner : members.learners) {
    const std::optional<MemberProgress> progress = leader.ProgressOf(learner);
    const bool is_due = progress && progress->match + kCaughtUpEntries >= leader.committed();
    if (is_due) return leader.Propose({.kind = MemberChange::Kind::kAddVoter, .node = learner});
  }
  const RaftId any = members.voters[Chance(members.voters.size())];
  if (members.voters.size() > kVotersMin && any != leader.id()) {
    return leader.Propose({.kind = MemberChange::Kind::kRemove, .node = any});
  }
  if (!members.learners.empty()) return;
  if (const std::optional<RaftId> waits = NodeThatWaits()) {
    leader.Propose({.kind = MemberChange::Kind::kAddLearner, .node = *waits});
  }
}

// One that was invited in vain, or a new one.
std::optional<RaftId> SimCluster::NodeThatWaits() {
  for (const auto& node : nodes_) {
    const RaftId id = node->id();
    if (!members_.contains(id) && !gone_.contains(id) && !leaves_.contains(id)) return id;
  }
  if (nodes_.size() == kNodesMax) return std::nullopt;
  MakeNode({});
  StartNode(*nodes_.back());
  return nodes_.back()->id();
}

// One that leads no more, and has not heard so, may know less than was known before.
Members SimCluster::LookAtMembers(SimNode& leader) {
  const StatePosition& position = leader.WholeState().position;
  Members members = *SharedLibrary().DecodeMembers(position.members);
  if (position.index < members_at_) return members;
  members_at_ = position.index;
  std::set<RaftId> now(members.voters.begin(), members.voters.end());
  now.insert(members.learners.begin(), members.learners.end());
  const std::set<RaftId> before = std::exchange(members_, now);
  for (const RaftId id : before) {
    if (!now.contains(id)) Dismiss(id);
  }
  for (const RaftId id : now) joined_ += id > options_.nodes && !before.contains(id) ? 1 : 0;
  return members;
}

// It may not know it, and goes on as long as a machine that nobody has told.
void SimCluster::Dismiss(RaftId id) {
  ++left_;
  leaves_.insert(id);
  After(Chance(500), [this, id] {
    gone_.insert(id);
    if (nodes_[id - 1]->is_running()) nodes_[id - 1]->Stop();
  });
}

std::vector<SimNode*> SimCluster::members() const {
  std::vector<SimNode*> members;
  for (const RaftId id : members_) members.push_back(nodes_[id - 1].get());
  return members;
}

void SimCluster::Send(RaftId from, RaftId to, MessageClass travels, const std::string& message) {
  Trace(message);
  const bool is_lost = Chance(100) < lost_ || cut_.count({from, to}) != 0;
  const int copies = is_lost ? 0 : 1 + static_cast<int>(Chance(100) < repeated_);
  for (int i = 0; i < copies; ++i) {
    const Time delay = 1 + Chance(Chance(100) < delayed_ ? 200 : 4);
    After(delay, [=, this] { Deliver(from, to, travels, message); });
  }
  if (is_lost && travels == MessageClass::kSnapshot) {
    After(50, [this, from, to] { nodes_[from - 1]->OnSnapshotSent(to, false); });
  }
}

void SimCluster::Deliver(RaftId from, RaftId to, MessageClass travels, const std::string& message) {
  SimNode& node = *nodes_[to - 1];
  const bool arrives = node.is_running() && node.LetsIn(*nodes_[from - 1]);
  if (arrives) node.Receive(from, message);
  if (travels == MessageClass::kSnapshot) nodes_[from - 1]->OnSnapshotSent(to, arrives);
}

SimNode& SimCluster::Asked() {
  for (int i = 0; i < 10; ++i) {
    SimNode& node = AnyNode();
    if (node.is_leading()) return node;
  }
  return AnyNode();
}

SimNode* SimCluster::Leader() {
  SimNode* leader = nullptr;
  for (const auto& node : nodes_) {
    const bool is_later =
        leader == nullptr || (node->is_leading() && node->term() > leader->term());
    if (node->is_leading() && is_later) leader = node.get();
  }
  return leader;
}

void SimCluster::Fault() {
  SimNode& node = AnyNode();
  const std::uint64_t what = Chance(21);
  const auto is = [&](std::uint64_t number, const char* name) {
    if (what != number) return false;
    ++faults_[name];
    Trace(name);
    return true;
  };
  if (is(0, "kill")) {
    node.Stop();
    Restart(node);
  } else if (is(1, "power cut")) {
    node.CutPower();
    Restart(node);
  } else if (is(2, "power cut at a sync")) {
    node.LetDiskStop();
  } else if (is(3, "power cut of all")) {
    for (const auto& each : nodes_) {
      each->CutPower();
      Restart(*each);
    }
  } else if (is(4, "pause")) {
    node.Pause();
    After(10 + Chance(500), [&node] { node.Resume(); });
  } else if (what < 8) {
    ++faults_["partition"];
    CutLinks();
    After(50 + Chance(600), [this] { cut_.clear(); });
  } else if (is(8, "flapping")) {
    Flap(10);
  } else if (is(9, "noise")) {
    lost_ = Chance(30);
    repeated_ = Chance(30);
    delayed_ = Chance(30);
  } else if (is(10, "flush")) {
    node.Flush(Chance(2) == 0);
  } else if (is(11, "hand over")) {
    for (const auto& each : nodes_) each->HandOver(Another(each->id()));
  } else if (is(12, "quiet")) {
    lost_ = repeated_ = delayed_ = slow_ = 0;
    cut_.clear();
    for (const auto& each : nodes_) each->SlowDisk(0);
  } else if (is(13, "pause behind a partition")) {
    PauseApart(Target());
  } else if (is(14, "slow clock")) {
    slow_ = Target();
  } else if (is(15, "slow disk")) {
    nodes_[Target() - 1]->SlowDisk(1 + Chance(100));
  } else if (is(20, "full log")) {
    SimNode& full = *nodes_[Target() - 1];
    full.FillLog(true);
    After(50 + Chance(600), [&full] { full.FillLog(false); });
  } else if (what < 18) {
    ++faults_["kill in a turn"];
    nodes_[Target() - 1]->StopAtStep(1 + Chance(20));
  } else {
    ++faults_["change of members"];
    ChangeMembers(3);
  }
}

// Mostly whoever leads, where it hurts.
RaftId SimCluster::Target() {
  const RaftId otherwise = AnyNode().id();
  for (const auto& node : nodes_) {
    if (node->is_leading() && Chance(4) != 0) return node->id();
  }
  return otherwise;
}

// Others elect a leader meanwhile, of which this one hears nothing when it goes on. It is only
// asked for looks, which nothing before them keeps from an answer.
void SimCluster::PauseApart(RaftId id) {
  SimNode& node = *nodes_[id - 1];
  const Time pause = 150 + Chance(300);
  apart_ = id;
  After(30, [this, id, pause, &node] {
    if (is_calm_) return;
    cut_.clear();
    CutAround(id);
    node.Pause();
    After(pause, [&node] { node.Resume(); });
    After(pause + 100 + Chance(100), [this] {
      cut_.clear();
      apart_ = 0;
    });
  });
}

void SimCluster::CutLinks() {
  const RaftId id = Target();
  cut_.clear();
  switch (Chance(3)) {
    case 0:
      return CutAround(id);
    case 1:
      return CutOneWay(id);
    default:
      return CutBridge(id);
  }
}

void SimCluster::CutAround(RaftId id) {
  for (const auto& other : nodes_) {
    cut_.insert({id, other->id()});
    cut_.insert({other->id(), id});
  }
}

void SimCluster::CutOneWay(RaftId id) {
  const bool is_deaf = Chance(2) == 0;
  for (const auto& other : nodes_) {
    if (is_deaf) {
      cut_.insert({other->id(), id});
    } else {
      cut_.insert({id, other->id()});
    }
  }
}

// Everybody hears this one, and nobody else.
void SimCluster::CutBridge(RaftId id) {
  for (const auto& one : nodes_) {
    for (const auto& other : nodes_) {
      if (one->id() != id && other->id() != id) cut_.insert({one->id(), other->id()});
    }
  }
}

void SimCluster::Flap(int times) {
  cut_.clear();
  if (times == 0 || is_calm_) return;
  if (times % 2 == 0) CutAround(AnyNode().id());
  After(20 + Chance(20), [this, times] { Flap(times - 1); });
}

void SimCluster::Restart(SimNode& node) {
  After(Chance(400), [this, &node] {
    if (!node.is_running() && !gone_.contains(node.id())) node.Start();
  });
}

void SimCluster::Heal() {
  is_calm_ = true;
  lost_ = repeated_ = delayed_ = slow_ = apart_ = 0;
  cut_.clear();
  for (const auto& node : nodes_) {
    node->LetGo();
    node->SlowDisk(0);
    node->FillLog(false);
    node->Resume();
    if (!node->is_running() && !gone_.contains(node->id())) node->Start();
  }
}

void SimCluster::Calm() {
  for (const auto& node : nodes_) {
    if (node->is_running()) node->Stop();
  }
  Heal();
}

void SimCluster::CheckEqual() {
  SimNode* const leader = Leader();
  if (leader == nullptr) return history_.Violation("nobody leads at the end");
  LookAtMembers(*leader);
  if (leader->WholeState().position.index < members_at_) {
    history_.Violation("who leads at the end knows less than was known");
  }
  for (SimNode* const node : members()) {
    if (node->HashWithoutGarbage() != leader->HashWithoutGarbage()) {
      history_.Violation("node " + std::to_string(node->id()) + " ends in another state");
    }
  }
}

}  // namespace wharf
