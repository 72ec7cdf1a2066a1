// ReplicaSet: three nodes with all their threads in one process, and a network in memory.
//
// The first one leads. What it promises stands when the whole set is stopped and started again.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "replication/raft_thread.h"
#include "storage/apply/caught_up_store.h"
#include "storage/base/clock.h"
#include "tests/replication/held_log.h"
#include "tests/replication/memory_replica_store.h"

namespace wharf {

class ReplicaSet;

// One node. Its log and its store outlive its threads.
class Replica final : public Outbox,
                      public SnapshotSource,
                      public SnapshotInstaller,
                      public RaftThread::Leaderships {
 public:
  Replica(RaftId id, const TableSet& tables, ReplicaSet& set);

  // Why the store cannot say where it is, or the node not begin.
  Status Start(CommitLog::ApplyListener* listener, const RaftThread::Options& options);
  void Stop() { thread_.reset(); }
  RaftThread& operator*() { return *thread_; }
  RaftThread* operator->() { return thread_.get(); }
  MemoryReplicaStore& store() { return store_; }
  // What clients read.
  Store& caught_up() { return caught_up_; }
  HeldLog& log() { return log_; }
  const BatchApplier& applier() const { return *applier_; }

  // Who observes the next leadership.
  void Observe(CommitLog::Observer& observer, const RaftCommitLog::Options& options = {});
  // Waits for one that is not this.
  std::shared_ptr<RaftCommitLog> WaitForLog(const std::shared_ptr<RaftCommitLog>& before = nullptr);
  // Both, and asks to lead.
  std::shared_ptr<RaftCommitLog> Lead(CommitLog::Observer& observer,
                                      const RaftCommitLog::Options& options);
  void WaitUntilFollower();
  // How often it has led.
  int leaderships() const { return leaderships_; }
  // The log by which it led when others did not wait any longer for its disk.
  const RaftCommitLog* hanging() const { return hanging_; }
  // Its disk is to fail; otherwise that is a failure of the test.
  void ExpectToFail() { may_fail_ = true; }

  void Send(RaftId to, MessageClass travels, std::string message) override;
  std::optional<RaftSnapshot> Snapshot(std::uint64_t /*from*/) override { return std::nullopt; }
  void Install(const RaftSnapshot& snapshot) override;
  std::shared_ptr<RaftCommitLog> OnLeading(std::uint64_t term, CommitIndex last,
                                           std::function<void()> wake) override;
  void OnLeadingEnded() override;
  void OnHanging(const RaftCommitLog& log) override { hanging_ = &log; }
  void OnFailed(const Status& status) override;

 private:
  // None: too long.
  std::shared_ptr<RaftCommitLog> WaitAWhile(const std::shared_ptr<RaftCommitLog>& before);

  const RaftId id_;
  ReplicaSet& set_;
  std::atomic<bool> may_fail_ = false;
  HeldLog log_;
  MemoryReplicaStore store_;
  CaughtUpStore caught_up_{store_.store(),
                           [this] { return thread_ ? thread_->WriteAll() : Status(); }};
  ManualClock clock_{Timestamp(std::chrono::hours(24))};

  Mutex mutex_;
  std::condition_variable_any changed_;
  CommitLog::Observer* observer_ ABSL_GUARDED_BY(mutex_) = nullptr;
  RaftCommitLog::Options log_options_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<RaftCommitLog> leading_ ABSL_GUARDED_BY(mutex_);

  std::atomic<int> leaderships_ = 0;
  std::atomic<const RaftCommitLog*> hanging_ = nullptr;
  std::optional<BatchApplier> applier_;
  std::unique_ptr<RaftThread> thread_;
};

class ReplicaSet {
 public:
  static constexpr RaftId kNodes = 3;

  explicit ReplicaSet(const TableSet& tables);
  ~ReplicaSet() { Stop(); }

  Replica& operator[](RaftId id) { return *replicas_[id - 1]; }
  void Start(CommitLog::ApplyListener* listener, const RaftThread::Options& options = {});
  void Stop();

  void Deliver(RaftId from, RaftId to, std::string message);
  // Whoever leads hands over, or nobody does and this one asks.
  void LetLead(RaftId id);
  // From now on nothing reaches it or comes from it.
  void CutOff(RaftId id);

 private:
  std::array<std::unique_ptr<Replica>, kNodes> replicas_;
  // Held while a message goes in, so that its receiver stays.
  Mutex mutex_;
  bool is_running_ ABSL_GUARDED_BY(mutex_) = false;
  RaftId cut_off_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf
