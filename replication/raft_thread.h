// RaftThread: drives a RaftNode in a daemon: the one thread that enters the raft core, and syncs
// its log; beside it the thread that applies.
//
// While a sync runs, messages and batches gather for the next round: that is the group commit.
// Ticks come by the monotonic clock; after a pause of the process what has arrived is heard first,
// and then at most one tick passes, so that nobody is taken for dead who only was not asked. A disk
// that hangs makes another node lead, but cannot say so to those who wait here: whoever calls Watch
// does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "replication/apply_thread.h"
#include "replication/node/raft_node.h"
#include "replication/raft_commit_log.h"
#include "storage/base/mutex.h"
#include "storage/base/under_way.h"

namespace wharf {

class RaftThread final : private RaftNode::Observer {
 public:
  struct Options {
    RaftNode::Options node{};
    ApplyThread::Options apply{};
    // A follower waits for election_ticks of them.
    Duration tick = std::chrono::milliseconds(100);
    // Of messages that wait; what comes beyond is lost, as on any network.
    std::size_t inbox_bytes_max = std::size_t{16} << 20;
    std::size_t inbox_works_max = 1024;
    std::function<Duration()> now = SteadyNow;
  };

  // Told when this node leads and when not; on the node's thread.
  class Leaderships {
   public:
    virtual ~Leaderships() = default;
    // Makes the log of this leadership, behind this batch, which is in the store; it calls `wake`
    // when there is something to propose.
    virtual std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                                     std::function<void()> wake) = 0;
    // The log is closed by then.
    virtual void OnLeadingEnded() = 0;
    // This log is about to be closed, for others do not wait any longer for the node, which is at
    // its disk and cannot say that its leadership has ended. On the thread that calls Watch, and
    // more than once.
    virtual void OnHanging(const RaftCommitLog& log) = 0;
    // Log or state failed: this node does nothing any more. On either thread.
    virtual void OnFailed(const Status& status) = 0;
  };

  // What is pointed to outlives the thread.
  struct World {
    const RaftLibrary& library;
    EntryLog& log;
    Outbox& outbox;
    BatchApplier& applier;
    // The members at its position, in the words of the core.
    std::string configuration;
    SnapshotSource& snapshots;
    SnapshotInstaller& installer;
    Leaderships& leaderships;
    // Called when another node leads than before, as far as this one knows, or nobody (0); on the
    // node's thread. May be empty.
    std::function<void(RaftId leader)> leader_changed{};
    // RaftNode::World.
    std::function<bool()> is_log_full{};
  };

  // Goes on from where the applier is.
  static Result<std::unique_ptr<RaftThread>> Start(const Options& options, const World& world);
  ~RaftThread() override;

  // Any thread may call these.
  // False: the inbox is full, and the message is lost.
  bool Receive(RaftId from, std::string message);
  // On the node's thread, as soon as may be. False: too many wait, and it is never done.
  using Work = absl::AnyInvocable<void(RaftNode&) &&>;
  bool Do(Work work);
  // Whom leadership is offered next, on the node's thread; each has an election timeout to take it.
  // Nobody: this node leads on.
  using NextSuccessor = absl::AnyInvocable<std::optional<RaftId>()>;
  // Finishes what is under way, takes nothing more, and hands leadership over. Whether it was
  // possible shows in who leads.
  void HandOver(NextSuccessor next);
  // What was completed when this is called is in the store when it returns (caught_up_store.h); or
  // why it is not.
  Status WriteAll() { return apply_->WriteAll(); }
  // For how long the store has been at one write; zero: it is at none.
  Duration write_age() const { return apply_->write_age(); }
  // The last entry that is applied here.
  std::uint64_t applied() const { return applied_; }
  // For how long the node has been at its turn, and so, if that is long, at its disk; zero: it
  // waits for something to do.
  Duration busy_for() const { return turn_.age(); }
  // That is longer than others wait for this node.
  bool is_hanging() const;
  // Ends the leadership towards clients if it hangs. To be called now and then.
  void Watch();

 private:
  struct Message {
    RaftId from = 0;
    SharedBytes bytes;
  };
  struct Inbox {
    std::vector<Message> messages;
    std::size_t bytes = 0;
    std::vector<Work> works;
    bool is_woken = false;
    bool is_stopping = false;
  };

  RaftThread(const Options& options, const World& world);

  void OnLeading(std::uint64_t term) override;
  void OnLeadingEnded() override;
  void OnReadable(ReadRound round) override;
  void OnApplied(const LogPlace& place, CommitIndex last);
  void OnFailed(const Status& status);

  void Wake();
  void Run();
  Inbox Take();
  // False: the node has failed.
  bool Turn(Inbox inbox);
  Status Step(Inbox inbox);
  bool TakeTick();
  void TellLeader();
  void TendLeadership();
  void LetGoOfStore(RaftCommitLog& log);
  // For others, who elect another leader then.
  bool IsTooLong(Duration age) const;
  std::shared_ptr<RaftCommitLog> log() const;

  const Options options_;
  const World world_;

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  Inbox inbox_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<RaftCommitLog> log_ ABSL_GUARDED_BY(mutex_);

  // Of the applier.
  std::atomic<std::uint64_t> applied_ = 0;
  std::atomic<std::uint64_t> last_ = 0;
  UnderWay turn_;
  // Log or state did: the node does nothing any more.
  std::atomic<bool> has_failed_ = false;

  // Owned by the node's thread.
  // Null: it is handed over to nobody.
  NextSuccessor next_successor_;
  // One who was not asked yet, because members change.
  std::optional<RaftId> successor_;
  RaftId told_leader_ = 0;
  Duration next_tick_;
  std::unique_ptr<ApplyThread> apply_;
  std::unique_ptr<RaftNode> node_;
  std::thread thread_;
};

}  // namespace wharf
