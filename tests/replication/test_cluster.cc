#include "tests/replication/test_cluster.h"

#include <gtest/gtest.h>

#include "tests/replication/shared_library.h"

namespace wharf {

TestNode::TestNode(const RaftCore::Options& core, const Members& members, Post post)
    : members_(members), post_(std::move(post)) {
  options.core = core;
  state_.position.members = SharedLibrary().EncodeMembers(members_);
  Start();
}

void TestNode::Start() {
  log_.stops = false;
  held_.clear();
  auto opened = RaftNode::Open(
      options, {SharedLibrary(), log_, *this, *this, *this, *this, [this] { return is_log_full; }},
      state_.position);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  node_ = std::move(*opened);
}

Status TestNode::Run() {
  Status status = node_->Run();
  if (!status.ok()) Stop();
  return status;
}

void TestNode::Apply(std::vector<CommittedEntry> entries) {
  for (CommittedEntry& entry : entries) held_.push_back(std::move(entry));
  if (!is_held_) ReleaseApplier();
}

void TestNode::ReleaseApplier() {
  is_held_ = false;
  for (; !held_.empty(); held_.pop_front()) ApplyOne(held_.front());
  if (node_ != nullptr) node_->OnApplied(state_.position.index);
}

void TestNode::ApplyOne(const CommittedEntry& committed) {
  const LogEntry& entry = committed.entry;
  ASSERT_EQ(entry.index, state_.position.index + 1);
  state_.position.index = entry.index;
  state_.position.term = entry.term;
  if (committed.members) state_.position.members = *committed.members;
  if (entry.kind == EntryKind::kBatch && !entry.data.empty()) {
    state_.values.push_back(std::to_string(entry.term) + ":" + std::string(entry.data));
  }
}

void TestNode::Install(RaftSnapshot snapshot) {
  held_.clear();
  state_.position = {snapshot.index, snapshot.term, snapshot.members};
  state_.values = {snapshot.data};
  // Not inside of Open, when there is none yet.
  node_->OnApplied(snapshot.index);
}

std::size_t TestNode::held_bytes() const {
  std::size_t bytes = 0;
  for (const CommittedEntry& entry : held_) bytes += entry.entry.data.size();
  return bytes;
}

TestCluster::TestCluster(int count, const RaftCore::Options& core) {
  SharedLibrary().Seed(1);
  Members members;
  for (RaftId id = 1; id <= static_cast<RaftId>(count); ++id) members.voters.push_back(id);
  for (const RaftId id : members.voters) {
    RaftCore::Options options = core;
    options.id = id;
    nodes_[id] = std::make_unique<TestNode>(
        options, members, [this, id](RaftId to, MessageClass /*travels*/, std::string bytes) {
          messages_.push_back({id, to, std::move(bytes)});
        });
  }
}

void TestCluster::Run(RaftId id) {
  if (nodes_.at(id)->is_running()) static_cast<void>(nodes_.at(id)->Run());
}

void TestCluster::Deliver() {
  DeliverUntil([] { return false; });
}

void TestCluster::DeliverUntil(const std::function<bool()>& is_so) {
  do {
    for (const auto& [id, node] : nodes_) Run(id);
  } while (!is_so() && DeliverOne());
}

bool TestCluster::DeliverOne() {
  if (messages_.empty()) return false;
  const Message message = std::move(messages_.front());
  messages_.pop_front();
  const auto node = nodes_.find(message.to);
  const bool arrives = node != nodes_.end() && node->second->is_running() &&
                       cut_.count({message.from, message.to}) == 0;
  if (arrives) {
    EXPECT_TRUE((*node->second)->Receive(message.from, message.bytes));
  }
  return true;
}

void TestCluster::Tick(RaftId id, int times) {
  for (int i = 0; i < times; ++i) {
    if (!nodes_.at(id)->is_running()) return;
    (*nodes_.at(id))->Tick();
    Deliver();
  }
}

// They believe in it until they have not heard of it for a while.
void TestCluster::BeginElection(RaftId id) {
  for (const auto& [other, node] : nodes_) {
    if (other == id || !node->is_running()) continue;
    for (int i = 0; i < node->options.core.election_ticks; ++i) {
      if ((*node)->status().role == RaftRole::kFollower) (*node)->Tick();
    }
    Run(other);
  }
  LoseMessages();
  (*nodes_.at(id))->Campaign();
}

// Who was away when others voted learns the term from their refusal.
void TestCluster::Elect(RaftId id) {
  for (int i = 0; i < 3 && (*nodes_.at(id))->status().role != RaftRole::kLeader; ++i) {
    BeginElection(id);
    Deliver();
  }
}

void TestCluster::Propose(RaftId id, const std::string& data) {
  EXPECT_TRUE((*nodes_.at(id))->Propose(data));
}

void TestCluster::CutOff(RaftId id) {
  for (const auto& [other, node] : nodes_) {
    if (other == id) continue;
    Cut(id, other);
    Cut(other, id);
  }
}

void TestCluster::CutPower(RaftId id) {
  Kill(id);
  nodes_.at(id)->log().log.Forget();
}

}  // namespace wharf
