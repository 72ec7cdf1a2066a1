// SimNode: one node of a simulation: all of it but the threads, the sockets and the disk.
//
// What it wants to happen later it asks the world for. A node that stops loses what is in memory;
// its log and its state are what its disk has. What clients do they do with its SimLeading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "replication/raft_commit_log.h"
#include "storage/apply/batch_applier.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "tests/replication/simulation/history.h"
#include "tests/replication/simulation/sim_store.h"
#include "tests/replication/stoppable_log.h"

namespace wharf {

// A node's leadership of one term, for whoever uses it; it outlives that.
struct SimLeading {
  SimLeading(Timestamp from, CommitLog::Observer& observer, const TableSet& tables,
             std::function<void()> wake, const RaftCommitLog::Options& options, std::uint64_t term,
             CommitIndex last)
      : clock(from),
        log(options, {observer, tables, clock, std::move(wake), [] { return Duration(0); }}, term,
            last) {}

  // Broker time: goes on from the last entry that has one, by hand.
  ManualClock clock;
  RaftCommitLog log;
};

class SimNode final : public Outbox,
                      public Applier,
                      public SnapshotSource,
                      public RaftNode::Observer,
                      public CommitLog::Observer {
 public:
  // Bytes: small, so that batches come in parts, windows are full and appliers lag.
  struct Sizes {
    std::size_t entry_max = 150;
    std::size_t message_max = 300;
    std::size_t ready_max = 500;
    std::size_t proposed_max = 1000;
    std::size_t applying_max = 400;
  };

  struct World {
    Random& random;
    History& history;
    std::function<void(RaftId to, MessageClass travels, std::string message)> send;
    // Calls something of a node that is still running by then, soon, or after so much time.
    std::function<void(std::function<void()>)> soon;
    std::function<void(std::uint64_t time, std::function<void()>)> after;
    // The node has stopped by itself, as it was told to.
    std::function<void()> stopped;
    // Hears of each row that is put, and whether there was one.
    std::function<void(RaftId node, const std::string& key, bool was_there)> on_row;
    // States that snapshots bring.
    std::vector<SimState>& snapshots;
    const SimFounding& founding;
    Sizes sizes{};
  };

  // One of these founders, or, without any, a node that waits until it is added.
  SimNode(RaftId id, const Members& founders, World world);

  void Start();
  // As by kill: what was written stays.
  void Stop();
  // As by a power cut: what was not synced, or flushed, is gone.
  void CutPower();
  // At the next sync.
  void LetDiskStop() { log_.stops = true; }
  // As by kill, before the one of so many steps of its turns that is drawn: what it writes, syncs,
  // sends and hands to its applier.
  void StopAtStep(std::uint64_t step) { steps_left_ = step; }
  // All is well again: it stops at neither.
  void LetGo() {
    log_.stops = false;
    steps_left_.reset();
  }
  // How long a sync takes from now on. Meanwhile the node stands still, but for what it sends
  // before it syncs, and what it writes is not safe.
  void SlowDisk(std::uint64_t sync_time) {
    sync_time_ = sync_time;
    log_.is_slow = sync_time != 0;
  }
  // Whether its log waits for the state's disk: then nothing comes to it.
  void FillLog(bool is_full) { is_log_full_ = is_full; }
  bool is_running() const { return node_ != nullptr; }
  // Counts its lives: what was asked for in one is nothing to the next.
  std::uint64_t life() const { return life_; }

  // While it is paused messages wait, and ticks pass by.
  void Pause() { is_paused_ = true; }
  void Resume();
  void Receive(RaftId from, const std::string& message);
  // As the streams do: who belongs to the cluster, as far as this node knows, or knows more of it
  // than this one, which hears of nobody else that leads. One that waits to be added lets in who
  // invites it.
  bool LetsIn(SimNode& other);
  void Tick();
  void Flush(bool cuts_log);
  void OnSnapshotSent(RaftId to, bool is_installed);
  void HandOver(RaftId to);
  // Of a leader.
  std::optional<MemberProgress> ProgressOf(RaftId node) const { return node_->ProgressOf(node); }
  std::uint64_t committed() const { return node_->committed(); }
  void Propose(const MemberChange& change);

  bool is_leading() const { return node_ != nullptr && node_->is_leading(); }
  // The one that is, or was last in this life; null: none.
  const std::shared_ptr<SimLeading>& leading() const { return leading_; }
  RaftId id() const { return id_; }
  std::uint64_t term() const { return node_->term(); }
  const SimStore& store() const { return store_; }
  // Whatever was told as applied is in the state; an error if this life is over.
  Status CatchUp(std::uint64_t life);
  // With everything that was told as applied.
  const SimState& WholeState() {
    if (is_running()) Write();
    return store_.state();
  }
  // The same, without garbage; of its rows.
  std::uint64_t HashWithoutGarbage();

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
  void NoteState(const SimState& state) const;
  RaftNode::Options Options() const;
  // Does what is to be done; a node whose disk stopped is gone.
  void Turn();
  void TendLeadership();
  void ApplySome();
  // What was told as applied, into the state.
  void Write();
  // What a snapshot brought takes the place of the state, if the log begins behind it.
  void Settle();
  // What is garbage is known, and goes.
  void BeginKeeping();
  void Reopen();
  void OnApplied(const LogPlace& place);
  void Later(void (SimNode::*what)());
  bool stands_still() const { return is_paused_ || is_syncing_; }
  bool is_behind_sync() const { return sync_time_ != 0 && log_.syncs != syncs_before_; }
  const std::set<RaftId>& KnownMembers();
  std::uint64_t applied() const {
    return is_running() ? node_->applied() : store_.state().position.index;
  }
  // False: the node is gone, and does nothing any more.
  bool Step();
  // What waited for it to go on.
  void GoOn();
  void EndSync();
  void HandOver(std::vector<CommittedEntry> entries);
  void FlushAll() { Flush(/*cuts_log=*/false); }

  const RaftId id_;
  const World world_;
  StoppableLog log_;
  SimStore store_;
  std::uint64_t life_ = 0;
  // Where the state was when this life began.
  std::uint64_t opened_at_ = 0;

  // Decoded of the state, where they are these bytes.
  std::string members_;
  std::set<RaftId> known_;
  bool is_paused_ = false;
  std::uint64_t sync_time_ = 0;
  bool is_log_full_ = false;
  bool is_syncing_ = false;
  // Syncs before the turn that is under way, and what it sends, hands over and knows behind its
  // own.
  std::uint64_t syncs_before_ = 0;
  std::vector<std::tuple<RaftId, MessageClass, std::string>> unsent_;
  std::vector<CommittedEntry> not_handed_over_;
  std::optional<ReadRound> readable_;
  bool is_reopening_ = false;
  // Nothing: it is not to stop by itself. 0: it has, and the turn that is under way leads to
  // nothing.
  std::optional<std::uint64_t> steps_left_;
  std::vector<std::pair<RaftId, std::string>> inbox_;
  std::deque<CommittedEntry> to_apply_;
  std::unique_ptr<SimKeeper> keeper_;
  std::optional<BatchApplier> applier_;
  std::optional<RaftId> hand_over_to_;
  std::unique_ptr<RaftNode> node_;
  std::shared_ptr<SimLeading> leading_;
};

}  // namespace wharf
