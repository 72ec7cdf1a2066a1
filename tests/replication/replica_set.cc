#include "tests/replication/replica_set.h"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

#include "tests/replication/shared_library.h"

namespace wharf {
namespace {

std::string AllOf(RaftId nodes) {
  Members members;
  for (RaftId id = 1; id <= nodes; ++id) members.voters.push_back(id);
  return SharedLibrary().EncodeMembers(members);
}

}  // namespace

Replica::Replica(RaftId id, const TableSet& tables, ReplicaSet& set)
    : id_(id), set_(set), store_(tables, AllOf(ReplicaSet::kNodes)) {}

Status Replica::Start(CommitLog::ApplyListener* listener, const RaftThread::Options& options) {
  const Result<CommitIndex> last = AppliedIndexRow().Read(store_.store());
  if (!last.ok()) return last.status();
  applier_.emplace(BatchApplier::World{store_, listener}, store_.position(), *last);
  RaftThread::Options own = options;
  own.node.core.id = id_;
  auto started = RaftThread::Start(own, {SharedLibrary(), log_, *this, *applier_,
                                         store_.position().members, *this, *this, *this});
  if (!started.ok()) return started.status();
  thread_ = std::move(*started);
  return {};
}

void Replica::Observe(CommitLog::Observer& observer, const RaftCommitLog::Options& options) {
  MutexLock lock(mutex_);
  observer_ = &observer;
  log_options_ = options;
}

std::shared_ptr<RaftCommitLog> Replica::WaitForLog(const std::shared_ptr<RaftCommitLog>& before) {
  for (;;) {
    if (auto log = WaitAWhile(before)) return log;
    // On a busy machine another node may have been quicker.
    set_.LetLead(id_);
  }
}

std::shared_ptr<RaftCommitLog> Replica::WaitAWhile(const std::shared_ptr<RaftCommitLog>& before) {
  MutexLock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  while (leading_ == nullptr || leading_ == before) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) return nullptr;
  }
  return leading_;
}

std::shared_ptr<RaftCommitLog> Replica::Lead(CommitLog::Observer& observer,
                                             const RaftCommitLog::Options& options) {
  Observe(observer, options);
  thread_->Do([](RaftNode& node) { node.Campaign(); });
  return WaitForLog();
}

void Replica::WaitUntilFollower() {
  MutexLock lock(mutex_);
  while (leading_ != nullptr) changed_.wait(mutex_);
}

void Replica::Send(RaftId to, MessageClass /*travels*/, std::string message) {
  set_.Deliver(id_, to, std::move(message));
}

void Replica::Install(const RaftSnapshot& /*snapshot*/) {
  OnFailed({ErrorCode::kGeneralError, "no node of this set needs a snapshot"});
}

std::shared_ptr<RaftCommitLog> Replica::OnLeading(std::uint64_t term, CommitIndex last,
                                                  std::function<void()> wake) {
  ++leaderships_;
  MutexLock lock(mutex_);
  // Nobody asked for this one.
  if (observer_ == nullptr) return nullptr;
  leading_ = std::make_shared<RaftCommitLog>(
      log_options_,
      RaftCommitLog::World{*std::exchange(observer_, nullptr), store_.tables(), clock_,
                           std::move(wake)},
      term, last);
  changed_.notify_all();
  return leading_;
}

void Replica::OnLeadingEnded() {
  MutexLock lock(mutex_);
  leading_.reset();
  changed_.notify_all();
}

void Replica::OnFailed(const Status& status) {
  if (!may_fail_) ADD_FAILURE() << status.message();
}

ReplicaSet::ReplicaSet(const TableSet& tables) {
  for (RaftId id = 1; id <= kNodes; ++id) {
    replicas_[id - 1] = std::make_unique<Replica>(id, tables, *this);
  }
}

void ReplicaSet::Start(CommitLog::ApplyListener* listener, const RaftThread::Options& options) {
  for (RaftId id = 1; id <= kNodes; ++id) {
    const Status status = (*this)[id].Start(id == 1 ? listener : nullptr, options);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  MutexLock lock(mutex_);
  is_running_ = true;
}

void ReplicaSet::Stop() {
  {
    MutexLock lock(mutex_);
    is_running_ = false;
  }
  for (const auto& replica : replicas_) replica->Stop();
}

void ReplicaSet::Deliver(RaftId from, RaftId to, std::string message) {
  MutexLock lock(mutex_);
  if (is_running_ && from != cut_off_ && to != cut_off_) {
    (*this)[to]->Receive(from, std::move(message));
  }
}

// Who campaigns hears nothing of a leader that hands over to it.
void ReplicaSet::LetLead(RaftId id) {
  for (const auto& replica : replicas_) {
    (*replica)->Do([id](RaftNode& node) { node.TransferLeader(id); });
  }
  (*this)[id]->Do([](RaftNode& node) {
    if (node.leader() == 0) node.Campaign();
  });
}

void ReplicaSet::CutOff(RaftId id) {
  MutexLock lock(mutex_);
  cut_off_ = id;
}

}  // namespace wharf
