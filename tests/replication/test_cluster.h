// TestCluster: some nodes on one thread, and a network between them that the test has in its hands.
//
// Nothing moves by itself: Deliver takes messages where they may go, until there are none; Tick is
// time. A node is stopped and started again with its log and its state, or without what its disk
// had not synced.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replication/node/raft_node.h"
#include "tests/replication/stoppable_log.h"

namespace wharf {

// What a node's entries made: themselves, one after another. Its disk has all of it at any time.
struct TestState {
  StatePosition position;
  std::vector<std::string> values;  // Of entries that are not empty, as "term:data".
};

class TestNode final : public Applier,
                       public Outbox,
                       public SnapshotSource,
                       public RaftNode::Observer {
 public:
  using Post = std::function<void(RaftId to, MessageClass travels, std::string message)>;

  TestNode(const RaftCore::Options& core, const Members& members, Post post);

  void Start();
  void Stop() { node_.reset(); }
  bool is_running() const { return node_ != nullptr; }
  // The node ends where its log fails.
  Status Run();

  RaftNode& operator*() { return *node_; }
  RaftNode* operator->() { return node_.get(); }
  StoppableLog& log() { return log_; }
  TestState& state() { return state_; }

  // From now on entries are taken and not applied, until Release.
  void HoldApplier() { is_held_ = true; }
  void ReleaseApplier();

  void Apply(std::vector<CommittedEntry> entries) override;
  void Install(RaftSnapshot snapshot) override;
  void Send(RaftId to, MessageClass travels, std::string message) override {
    post_(to, travels, std::move(message));
  }
  std::optional<RaftSnapshot> Snapshot(std::uint64_t /*from*/) override { return snapshot; }
  void OnLeading(std::uint64_t term) override { leading.push_back(term); }
  void OnLeadingEnded() override { ++endings; }
  void OnReadable(ReadRound round) override { readable = round; }

  RaftNode::Options options;
  bool is_log_full = false;
  std::vector<std::uint64_t> leading;  // The terms in which it led.
  int endings = 0;
  std::optional<ReadRound> readable;
  std::optional<RaftSnapshot> snapshot;
  // How many bytes the applier was given and has not applied.
  std::size_t held_bytes() const;

 private:
  void ApplyOne(const CommittedEntry& entry);

  const Members members_;
  const Post post_;
  StoppableLog log_;
  TestState state_;
  bool is_held_ = false;
  std::deque<CommittedEntry> held_;
  std::unique_ptr<RaftNode> node_;
};

class TestCluster {
 public:
  explicit TestCluster(int count, const RaftCore::Options& core = {});

  TestNode& operator[](RaftId id) { return *nodes_.at(id); }

  // Runs everybody and takes messages along, until nobody has any.
  void Deliver();
  // The same, until something is so.
  void DeliverUntil(const std::function<bool()>& is_so);
  // One message arrives, and nobody runs; false: there is none.
  bool DeliverOne();
  // Runs one node, and leaves its messages.
  void Run(RaftId id);
  // Messages that stand now are lost.
  void LoseMessages() { messages_.clear(); }
  void Tick(RaftId id, int times);
  // The others forget their leader, and the node asks for their votes.
  void BeginElection(RaftId id);
  // The node leads behind it, if it can.
  void Elect(RaftId id);
  void Propose(RaftId id, const std::string& data);

  // No message arrives from one at the other any more.
  void Cut(RaftId from, RaftId to) { cut_.insert({from, to}); }
  void CutOff(RaftId id);
  void Heal() { cut_.clear(); }

  void Kill(RaftId id) { nodes_.at(id)->Stop(); }
  // As Kill, and what was not synced is gone.
  void CutPower(RaftId id);
  void Start(RaftId id) { nodes_.at(id)->Start(); }

 private:
  struct Message {
    RaftId from = 0;
    RaftId to = 0;
    std::string bytes;
  };

  std::map<RaftId, std::unique_ptr<TestNode>> nodes_;
  std::deque<Message> messages_;
  std::set<std::pair<RaftId, RaftId>> cut_;
};

}  // namespace wharf
