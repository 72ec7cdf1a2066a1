// SimNode: one node of a simulation: all of it but the threads, the sockets and the disk.
//
// What it wants to happen later it asks the world for. A node that stops loses what is in memory;
// its log and its state are what its disk has.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication/raft_commit_log.h"
#include "storage/apply/batch_applier.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "tests/replication/simulation/history.h"
#include "tests/replication/simulation/sim_store.h"
#include "tests/replication/stoppable_log.h"

namespace wharf {

class SimNode final : public Outbox,
                      public Applier,
                      public SnapshotSource,
                      public RaftNode::Observer,
                      public CommitLog::Observer {
 public:
  struct World {
    Random& random;
    History& history;
    std::function<void(RaftId to, MessageClass travels, std::string message)> send;
    // Calls something of a node that is still running by then, soon.
    std::function<void(std::function<void()>)> soon;
    // States that snapshots bring.
    std::vector<SimState>& snapshots;
  };

  SimNode(RaftId id, const Members& members, World world);

  void Start();
  // As by kill: what was written stays.
  void Stop();
  // As by a power cut: what was not synced, or flushed, is gone.
  void CutPower();
  // At the next sync.
  void LetDiskStop() { log_.stops = true; }
  bool is_running() const { return node_ != nullptr; }
  // Counts its lives: what was asked for in one is nothing to the next.
  std::uint64_t life() const { return life_; }

  // While it is paused messages wait, and ticks pass by.
  void Pause() { is_paused_ = true; }
  void Resume();
  void Receive(RaftId from, const std::string& message);
  void Tick();
  void Flush(bool cuts_log);
  void OnSnapshotSent(RaftId to, bool is_installed);

  // Clients, if this node leads, or thought so last.
  void Append(const std::string& name, std::size_t bytes);
  void AppendBad(const std::string& name);
  void Look();
  void HandOver(RaftId to);

  bool is_leading() const { return node_ != nullptr && node_->is_leading(); }
  RaftId id() const { return id_; }
  // With everything that was told as applied.
  const SimState& WholeState() {
    if (is_running()) Write();
    return store_.state();
  }
  std::uint64_t term() const { return node_->term(); }

  void Send(RaftId to, MessageClass travels, std::string message) override;
  void Apply(std::vector<CommittedEntry> entries) override;
  void Install(RaftSnapshot snapshot) override;
  std::optional<RaftSnapshot> Snapshot(std::uint64_t from) override;
  void OnLeading(std::uint64_t term) override;
  void OnLeadingEnded() override;
  void OnReadable(ReadRound round) override;
  void OnOpen() override {}
  void OnClosed(Status /*reason*/) override {}

 private:
  SimStore::Watch Watches();
  // Does what is to be done; a node whose disk stopped is gone.
  void Turn();
  void TendLeadership();
  void ApplySome();
  void View(const std::string& name);
  // What was told as applied, into the state.
  void Write();
  // What a snapshot brought takes the place of the state, if the log begins behind it.
  void Settle();
  void Reopen();
  void OnApplied(const LogPlace& place);
  void Later(void (SimNode::*what)());

  const RaftId id_;
  const World world_;
  ManualClock clock_{Timestamp(std::chrono::hours(1))};
  StoppableLog log_;
  SimStore store_;
  std::uint64_t life_ = 0;

  bool is_paused_ = false;
  bool is_reopening_ = false;
  std::vector<std::pair<RaftId, std::string>> inbox_;
  std::deque<CommittedEntry> to_apply_;
  std::optional<BatchApplier> applier_;
  std::optional<RaftId> hand_over_to_;
  std::unique_ptr<RaftNode> node_;
  std::shared_ptr<RaftCommitLog> commit_log_;
};

}  // namespace wharf
