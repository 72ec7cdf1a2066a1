#include "replication/raft_thread.h"

#include <utility>

#include "replication/not_leading.h"
#include "storage/base/this_thread.h"

namespace wharf {

namespace {

StatePosition StartOf(const RaftThread::World& world) {
  StatePosition position = world.applier.position();
  position.members = world.configuration;
  return position;
}

}  // namespace

Result<std::unique_ptr<RaftThread>> RaftThread::Start(const Options& options, const World& world) {
  std::unique_ptr<RaftThread> raft(new RaftThread(options, world));
  raft->apply_ = std::make_unique<ApplyThread>(
      options.apply,
      ApplyThread::World{world.applier, world.installer,
                         [at = raft.get()](const LogPlace& place, CommitIndex last) {
                           at->OnApplied(place, last);
                         },
                         [at = raft.get()](const Status& status) { at->OnFailed(status); }});
  auto node = RaftNode::Open(options.node,
                             {world.library, world.log, world.outbox, *raft->apply_,
                              world.snapshots, *raft, world.is_log_full},
                             StartOf(world));
  if (!node.ok()) return node.status();
  raft->node_ = std::move(*node);
  raft->thread_ = std::thread([at = raft.get()] { at->world_.library.Run([at] { at->Run(); }); });
  return raft;
}

RaftThread::RaftThread(const Options& options, const World& world)
    : options_(options),
      world_(world),
      applied_(world.applier.position().index),
      last_(world.applier.last().value()),
      turn_(options.now),
      next_tick_(options.now() + options.tick) {}

RaftThread::~RaftThread() {
  {
    MutexLock lock(mutex_);
    inbox_.is_stopping = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (apply_) apply_->Stop();
  if (log()) OnLeadingEnded();
}

bool RaftThread::Receive(RaftId from, std::string message) {
  {
    MutexLock lock(mutex_);
    if (inbox_.bytes + message.size() > options_.inbox_bytes_max) return false;
    inbox_.bytes += message.size();
    inbox_.messages.push_back({from, std::move(message)});
  }
  wake_.notify_one();
  return true;
}

bool RaftThread::Do(Work work) {
  if (has_failed_) return false;
  {
    MutexLock lock(mutex_);
    if (inbox_.works.size() >= options_.inbox_works_max) return false;
    inbox_.works.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void RaftThread::Wake() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(inbox_.is_woken, true)) return;
  }
  wake_.notify_one();
}

void RaftThread::HandOver(NextSuccessor next) {
  Do([this, next = std::move(next)](RaftNode& /*node*/) mutable {
    const auto current = log();
    if (!current) return;
    next_successor_ = std::move(next);
    current->Refuse(NotLeading());
  });
}

void RaftThread::Run() {
  NameThisThread("wharf:raft");
  for (;;) {
    Inbox inbox = Take();
    if (inbox.is_stopping || !Turn(std::move(inbox))) return;
  }
}

RaftThread::Inbox RaftThread::Take() {
  MutexLock lock(mutex_);
  const auto is_idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return inbox_.messages.empty() && inbox_.works.empty() && !inbox_.is_woken &&
           !inbox_.is_stopping;
  };
  while (is_idle()) {
    const Duration left = next_tick_ - options_.now();
    if (left <= Duration(0)) break;
    wake_.wait_for(mutex_, left);
  }
  const bool is_stopping = inbox_.is_stopping;
  Inbox taken = std::exchange(inbox_, Inbox());
  inbox_.is_stopping = is_stopping;
  return taken;
}

bool RaftThread::Turn(Inbox inbox) {
  if (has_failed_) return false;
  const Status status = Step(std::move(inbox));
  if (!status.ok()) {
    OnFailed(status);
    return false;
  }
  TellLeader();
  TendLeadership();
  return true;
}

// Each part of it may wait for the disk: what others lack is read, the log is cut, and synced.
Status RaftThread::Step(Inbox inbox) {
  const UnderWay::Scope turn(turn_);
  for (const Message& message : inbox.messages) node_->Receive(message.from, message.bytes);
  if (TakeTick()) node_->Tick();
  for (Work& work : inbox.works) std::move(work)(*node_);
  node_->OnApplied(applied_);
  if (const auto current = log()) current->Pump(*node_);
  return node_->Run();
}

bool RaftThread::TakeTick() {
  const Duration now = options_.now();
  if (now < next_tick_) return false;
  next_tick_ += options_.tick;
  // What was missed is not made up for.
  if (next_tick_ <= now) next_tick_ = now + options_.tick;
  return true;
}

// Clients that were refused are told whom to ask instead, and each of them waits for that.
void RaftThread::TellLeader() {
  const RaftId leader = node_->leader();
  if (std::exchange(told_leader_, leader) == leader || !world_.leader_changed) return;
  world_.leader_changed(leader);
}

// A log that takes nothing more is followed by a hand-over, or by another log.
void RaftThread::TendLeadership() {
  const auto current = log();
  if (!current) return;
  if (next_successor_) LetGoOfStore(*current);
  if (!current->is_done() || node_->status().transferee != 0) return;
  if (next_successor_ && !successor_) successor_ = next_successor_();
  if (successor_) {
    // While members change it is not begun, and asked for again with the next turn.
    if (!node_->TransferLeader(*successor_)) return;
    successor_.reset();
  } else {
    node_->PauseLeading();
  }
  Wake();
}

// What is under way is finished first, unless the store that it waits for does not answer.
void RaftThread::LetGoOfStore(RaftCommitLog& log) {
  if (!log.is_done() && IsTooLong(write_age())) log.Close(Hanging());
}

std::shared_ptr<RaftCommitLog> RaftThread::log() const {
  MutexLock lock(mutex_);
  return log_;
}

// What waits to be written is bounded; a store that stalls makes this node wait here, and another
// one lead. One that failed meanwhile begins nothing on a state that lacks something.
void RaftThread::OnLeading(std::uint64_t term) {
  if (!WriteAll().ok() || has_failed_) return;
  auto log = world_.leaderships.OnLeading(term, CommitIndex(last_.load()), [this] { Wake(); });
  MutexLock lock(mutex_);
  log_ = std::move(log);
}

void RaftThread::OnLeadingEnded() {
  std::shared_ptr<RaftCommitLog> ended;
  {
    MutexLock lock(mutex_);
    ended = std::exchange(log_, nullptr);
  }
  next_successor_ = nullptr;
  successor_.reset();
  if (ended) ended->Close(NotLeading());
  world_.leaderships.OnLeadingEnded();
}

void RaftThread::OnReadable(ReadRound round) {
  if (const auto current = log()) current->OnReadable(round);
}

// On the node's thread or the applier's. The position first: who is answered may ask for more.
void RaftThread::OnApplied(const LogPlace& place, CommitIndex last) {
  last_ = last.value();
  applied_ = place.index;
  Wake();
  if (const auto current = log()) current->OnApplied(place.term, last);
}

// The process ends, and its clients hear of that, not of what its disk says.
void RaftThread::OnFailed(const Status& status) {
  has_failed_ = true;
  if (const auto current = log()) current->Close(ClosedBy(status, Outcome::kNotDone));
  world_.leaderships.OnFailed(status);
}

bool RaftThread::is_hanging() const { return IsTooLong(busy_for()); }

bool RaftThread::IsTooLong(Duration age) const {
  return age > options_.tick * options_.node.core.election_ticks;
}

// The doors first: what hangs may hold the log while it reads what others lack.
void RaftThread::Watch() {
  if (!is_hanging()) return;
  const auto current = log();
  if (!current) return;
  world_.leaderships.OnHanging(*current);
  current->Close(Hanging());
}

}  // namespace wharf
