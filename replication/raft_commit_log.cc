#include "replication/raft_commit_log.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "storage/apply/entry_assembler.h"

namespace wharf {
namespace {

Status WithOutcome(const Status& status, Outcome outcome) {
  return {status.code(), status.message(), outcome};
}

Status CheckBatch(const WriteBatch& batch, const TableSet& tables) {
  if (batch.bytes().size() > EntryAssembler::kBatchBytesMax) {
    return {ErrorCode::kGeneralError, "a write batch is larger than a replicated log takes"};
  }
  return batch.Check(tables);
}

}  // namespace

RaftCommitLog::RaftCommitLog(const Options& options, World world, std::uint64_t term,
                             CommitIndex last)
    : options_(options),
      world_(std::move(world)),
      term_(term),
      last_proposed_(last),
      last_applied_(last) {
  assert(options_.entry_bytes_max > kEntryOverhead);
  world_.observer.OnOpen();
}

// What is still there then was never answered: the node stopped under it.
RaftCommitLog::~RaftCommitLog() {
  {
    MutexLock lock(mutex_);
    is_reported_ = true;
  }
  Close({ErrorCode::kServiceCommunicationProblem, "this node stops"});
}

void RaftCommitLog::Append(WriteBatch batch, Committed committed) {
  Queue(std::move(batch), std::move(committed));
}

void RaftCommitLog::Confirm(Confirmed confirmed) { Queue(WriteBatch(), std::move(confirmed)); }

void RaftCommitLog::Queue(WriteBatch batch, Committed committed) {
  bool is_refused = false;
  {
    MutexLock lock(mutex_);
    waiting_.push_back({std::move(batch), std::move(committed)});
    is_refused = refusal_.has_value();
  }
  if (is_refused) return Drain();
  world_.wake();
}

void RaftCommitLog::Stop() {
  MutexLock lock(mutex_);
  while (!waiting_.empty() || !proposed_.empty() || is_draining_) answered_.wait(mutex_);
}

void RaftCommitLog::Refuse(Status reason) {
  {
    MutexLock lock(mutex_);
    RefuseLocked(std::move(reason));
  }
  Drain();
}

void RaftCommitLog::RefuseLocked(Status reason) {
  if (!refusal_) refusal_ = WithOutcome(reason, Outcome::kNotDone);
}

void RaftCommitLog::Close(const Status& reason) {
  {
    MutexLock lock(mutex_);
    RefuseLocked(reason);
    is_cut_ = true;
  }
  Drain();
}

bool RaftCommitLog::is_done() const {
  MutexLock lock(mutex_);
  return refusal_ && proposed_.empty();
}

void RaftCommitLog::Pump(RaftNode& node) {
  {
    MutexLock lock(mutex_);
    while (!waiting_.empty() && !refusal_ && ProposeFirst(node)) {
    }
  }
  Drain();
}

bool RaftCommitLog::ProposeFirst(RaftNode& node) {
  const WriteBatch& first = waiting_.front().batch;
  if (first.empty()) return ProposeLook(node);
  if (first.bytes().size() > payload_bytes_max()) return ProposePart(node);
  return ProposeTogether(node);
}

bool RaftCommitLog::ProposeLook(RaftNode& node) {
  if (!node.is_leading()) return false;
  proposed_.push_back({std::move(waiting_.front().committed), last_proposed_, node.RequestRead()});
  waiting_.pop_front();
  return true;
}

// As many as one entry holds and there is room for. What cannot be applied ends the log behind
// what came before it, which was not planned on top of it.
bool RaftCommitLog::ProposeTogether(RaftNode& node) {
  const std::size_t room = std::min(node.room(), options_.entry_bytes_max);
  std::vector<std::string_view> batches;
  std::size_t bytes = 0;
  for (const Waiting& waiting : waiting_) {
    const WriteBatch& batch = waiting.batch;
    if (batch.empty() || bytes + batch.bytes().size() + kEntryOverhead > room) break;
    if (const Status status = CheckBatch(batch, world_.tables); !status.ok()) {
      if (batches.empty()) RefuseLocked(ClosedBy(status, Outcome::kNotDone));
      break;
    }
    batches.push_back(batch.bytes());
    bytes += batch.bytes().size();
  }
  if (batches.empty()) return false;
  const auto count = static_cast<std::uint32_t>(batches.size());
  if (!Propose(node, {.term = term_, .batches = count}, batches)) return false;
  MoveToProposed(count, bytes);
  return true;
}

// It waits until its last part is proposed: without that one it is not done.
bool RaftCommitLog::ProposePart(RaftNode& node) {
  const WriteBatch& batch = waiting_.front().batch;
  if (parts_proposed_ == 0) {
    if (const Status status = CheckBatch(batch, world_.tables); !status.ok()) {
      RefuseLocked(ClosedBy(status, Outcome::kNotDone));
      return false;
    }
  }
  const std::size_t bytes = batch.bytes().size();
  const std::size_t part_bytes = payload_bytes_max();
  const auto parts = static_cast<std::uint32_t>((bytes + part_bytes - 1) / part_bytes);
  const std::string_view payload =
      std::string_view(batch.bytes()).substr(parts_proposed_ * part_bytes, part_bytes);
  if (payload.size() + kEntryOverhead > node.room()) return false;
  if (!Propose(node, {.term = term_, .part = parts_proposed_, .parts = parts}, {&payload, 1})) {
    return false;
  }
  if (++parts_proposed_ == parts) {
    parts_proposed_ = 0;
    MoveToProposed(1, bytes);
  }
  return true;
}

// A node that does not take it does not lead any more, or will not: it says so itself.
bool RaftCommitLog::Propose(RaftNode& node, const EntryHead& head,
                            std::span<const std::string_view> payload) {
  EntryHead timed = head;
  timed.time = world_.clock.Now();
  return node.Propose(EncodeEntry(timed, payload));
}

void RaftCommitLog::MoveToProposed(std::uint64_t batches, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < batches; ++i) {
    last_proposed_ = last_proposed_.Next();
    proposed_.push_back({std::move(waiting_.front().committed), last_proposed_, std::nullopt});
    waiting_.pop_front();
  }
  groups_.push_back({last_proposed_, batches, bytes, world_.now()});
}

std::size_t RaftCommitLog::payload_bytes_max() const {
  return options_.entry_bytes_max - kEntryOverhead;
}

void RaftCommitLog::OnReadable(ReadRound round) {
  {
    MutexLock lock(mutex_);
    readable_ = std::max(readable_, round);
  }
  Drain();
}

// In this term all batches are this log's, in the order in which it proposed them.
void RaftCommitLog::OnApplied(std::uint64_t term, CommitIndex last) {
  if (term != term_) return;
  {
    MutexLock lock(mutex_);
    last_applied_ = std::max(last_applied_, last);
    for (; !groups_.empty() && groups_.front().last <= last; groups_.pop_front()) {
      const Group& group = groups_.front();
      latency_.Note(world_.now() - group.began);
      ++stats_.groups;
      stats_.commits += group.batches;
      stats_.bytes += group.bytes;
    }
  }
  Drain();
}

CommitLog::Stats RaftCommitLog::stats() const {
  MutexLock lock(mutex_);
  Stats stats = stats_;
  stats.sync_latency = latency_.Read();
  if (!groups_.empty()) stats.disk_age = world_.now() - groups_.front().began;
  return stats;
}

void RaftCommitLog::Drain() {
  if (!BeginDrain()) return;
  while (auto call = TakeCall()) std::move (*call)();
}

bool RaftCommitLog::BeginDrain() {
  MutexLock lock(mutex_);
  return !std::exchange(is_draining_, true);
}

std::uint64_t RaftCommitLog::refused() const {
  MutexLock lock(mutex_);
  return refused_;
}

std::optional<absl::AnyInvocable<void() &&>> RaftCommitLog::TakeCall() {
  MutexLock lock(mutex_);
  if (std::optional<Answer> answer = TakeAnswer()) {
    return [answer = std::move(*answer)]() mutable {
      std::move(answer.committed)(std::move(answer.result));
    };
  }
  if (refusal_ && proposed_.empty() && !std::exchange(is_reported_, true)) {
    return [this, reason = *refusal_] { world_.observer.OnClosed(reason); };
  }
  is_draining_ = false;
  answered_.notify_all();
  return std::nullopt;
}

std::optional<RaftCommitLog::Answer> RaftCommitLog::TakeAnswer() {
  if (!proposed_.empty()) {
    Proposed& first = proposed_.front();
    if (!IsDone(first) && !is_cut_) return std::nullopt;
    Result<CommitIndex> result = first.index;
    if (!IsDone(first)) {
      refused_ += first.round ? 0 : 1;
      result = WithOutcome(*refusal_, first.round ? Outcome::kNotDone : Outcome::kUnknown);
    }
    Answer answer{std::move(first.committed), std::move(result)};
    proposed_.pop_front();
    return answer;
  }
  if (waiting_.empty() || !refusal_) return std::nullopt;
  refused_ += waiting_.front().batch.empty() ? 0 : 1;
  Answer answer{std::move(waiting_.front().committed), *refusal_};
  waiting_.pop_front();
  return answer;
}

// What was before it is answered by then.
bool RaftCommitLog::IsDone(const Proposed& first) const {
  return first.round ? *first.round <= readable_ : first.index <= last_applied_;
}

}  // namespace wharf
