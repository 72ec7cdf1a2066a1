// RaftCommitLog: makes write batches durable on a majority of nodes. One for each time that a node
// leads; the batches that were planned against one leader's memory go into its log and no other.
//
//   Append ----> waiting ----> proposed ----> applied: completion
//                   |              |
//                   |              +-- leadership ended: the outcome is unknown
//                   +-- leadership ended, or a batch before it cannot be applied: not done
//
// A batch is checked before it is proposed: one that cannot be applied would stop every node, at
// every start. Small ones that wait travel together, a large one in parts, and no more is on its
// way than the node has room for, so the next group gathers meanwhile. A look, or an empty batch,
// asks a majority whether this node still leads (ReadIndex), and is answered in its place.
//
// Append and Confirm on any thread; Pump, OnReadable and End on the node's, OnApplied on the
// applier's, Close on any. Completions and the observer are called one after another, on the
// node's thread or the applier's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "replication/node/raft_node.h"
#include "storage/apply/entry.h"
#include "storage/base/clock.h"
#include "storage/base/latency.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"

namespace wharf {

class RaftCommitLog final : public CommitLog {
 public:
  struct Options {
    // Of one entry, with what is around its payload. Smaller than the node's window.
    std::size_t entry_bytes_max = std::size_t{64} << 10;
  };

  // What is pointed to outlives the log.
  struct World {
    CommitLog::Observer& observer;
    const TableSet& tables;
    Clock& clock;                // Broker time.
    std::function<void()> wake;  // There is something to propose; inside of Append and Confirm.
    std::function<Duration()> now = SteadyNow;
  };

  // What leadership of this term begins with: everything up to `last` is applied.
  RaftCommitLog(const Options& options, World world, std::uint64_t term, CommitIndex last);
  ~RaftCommitLog() override;

  void Append(WriteBatch batch, Committed committed) override;
  void Confirm(Confirmed confirmed) override;
  Stats stats() const override;

  // Returns when everything that was appended is answered; another thread has to drive the node.
  // Nobody appends meanwhile, except a completion.
  void Stop();
  // Takes nothing more, and says why; what is proposed is still answered as it turns out, for
  // whoever hands leadership over.
  void Refuse(Status reason);
  // Does not wait any longer: what is proposed hears that the outcome is unknown.
  void Close(const Status& reason);

  // Proposes what waits and fits.
  void Pump(RaftNode& node);
  void OnReadable(ReadRound round);
  // Everything up to this batch is applied, the last of it in this term.
  void OnApplied(std::uint64_t term, CommitIndex last);

  std::uint64_t term() const { return term_; }
  // Broker time, as this leadership has it.
  Timestamp Now() const { return world_.clock.Now(); }
  // Takes nothing more, and nothing is on its way.
  bool is_done() const;
  // Batches that were not done, or of which nobody here knows, because it closed.
  std::uint64_t refused() const;

 private:
  struct Waiting {
    WriteBatch batch;  // Empty: a look.
    Committed committed;
  };
  struct Proposed {
    Committed committed;
    // Of the batch, or of the last one before the look.
    CommitIndex index;
    // Of a look.
    std::optional<ReadRound> round;
  };
  // What was proposed as one entry, or as the parts of one batch.
  struct Group {
    CommitIndex last;
    std::uint64_t batches = 0;
    std::uint64_t bytes = 0;
    Duration began{};
  };
  struct Answer {
    Committed committed;
    Result<CommitIndex> result;
  };

  void Queue(WriteBatch batch, Committed committed);
  // The first of what waits; false: not now.
  bool ProposeFirst(RaftNode& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ProposeLook(RaftNode& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool ProposeTogether(RaftNode& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The next part of a batch that is too large for one entry.
  bool ProposePart(RaftNode& node) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Propose(RaftNode& node, const EntryHead& head, std::span<const std::string_view> payload)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MoveToProposed(std::uint64_t batches, std::uint64_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseLocked(Status reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::size_t payload_bytes_max() const;

  // Answers what can be answered, unless another call or thread already does.
  void Drain();
  // Takes the part of whoever answers; false: somebody else has it.
  bool BeginDrain();
  // What to call next; gives the part back if there is nothing.
  std::optional<absl::AnyInvocable<void() &&>> TakeCall();
  std::optional<Answer> TakeAnswer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsDone(const Proposed& first) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  const World world_;
  const std::uint64_t term_;

  mutable Mutex mutex_;
  std::condition_variable_any answered_;
  std::deque<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  std::deque<Proposed> proposed_ ABSL_GUARDED_BY(mutex_);
  std::deque<Group> groups_ ABSL_GUARDED_BY(mutex_);
  // How many parts of the first that waits are proposed.
  std::uint32_t parts_proposed_ ABSL_GUARDED_BY(mutex_) = 0;
  CommitIndex last_proposed_ ABSL_GUARDED_BY(mutex_);
  CommitIndex last_applied_ ABSL_GUARDED_BY(mutex_);
  ReadRound readable_ ABSL_GUARDED_BY(mutex_);
  // Why nothing is taken any more; not done.
  std::optional<Status> refusal_ ABSL_GUARDED_BY(mutex_);
  // What is proposed is not waited for, either.
  bool is_cut_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_reported_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_draining_ ABSL_GUARDED_BY(mutex_) = false;
  Stats stats_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  Latency latency_;
};

}  // namespace wharf
