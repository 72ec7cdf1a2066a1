#include "storage/memory/memory_commit_log.h"

#include <algorithm>
#include <utility>

#include "storage/log/ordered_writes.h"

namespace wharf {

MemoryCommitLog::MemoryCommitLog(AppliedStore& store, World world)
    : store_(store), world_(std::move(world)) {
  const Result<CommitIndex> last = world_.row.Read(store_);
  if (!last.ok()) {
    CloseBecause(ClosedBy(last.status(), Outcome::kNotDone));
    return;
  }
  last_ = *last;
  if (world_.observer != nullptr) world_.observer->OnOpen();
}

void MemoryCommitLog::Append(WriteBatch batch, Committed committed) {
  {
    MutexLock lock(mutex_);
    queue_.push_back({std::move(batch), std::move(committed)});
  }
  Drain();
}

void MemoryCommitLog::Confirm(Confirmed confirmed) {
  {
    MutexLock lock(mutex_);
    queue_.push_back({std::nullopt, std::move(confirmed)});
  }
  Drain();
}

CommitLog::Stats MemoryCommitLog::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

void MemoryCommitLog::Hold() {
  MutexLock lock(mutex_);
  allowed_ = 0;
}

std::size_t MemoryCommitLog::CommitHeld(std::size_t count) {
  {
    MutexLock lock(mutex_);
    const auto is_batch = [](const Entry& entry) { return entry.batch.has_value(); };
    const auto batches = std::count_if(queue_.begin(), queue_.end(), is_batch);
    count = std::min(count, static_cast<std::size_t>(batches));
    allowed_ = count;
  }
  Drain();
  return count;
}

void MemoryCommitLog::Release() {
  {
    MutexLock lock(mutex_);
    allowed_ = kNotHeld;
  }
  Drain();
}

void MemoryCommitLog::Close(const Status& reason) {
  CloseBecause({reason.code(), reason.message(), Outcome::kUnknown});
}

void MemoryCommitLog::CloseBecause(Status reason) {
  {
    MutexLock lock(mutex_);
    if (closed_.has_value()) return;
    closed_ = std::move(reason);
  }
  Drain();
}

void MemoryCommitLog::Drain() {
  {
    MutexLock lock(mutex_);
    if (draining_) return;
    draining_ = true;
  }
  while (auto answer = TakeAnswer()) {
    if (answer->notes && world_.applied != nullptr) world_.applied->OnApplied(*answer->notes);
    std::move(answer->committed)(std::move(answer->result));
  }
  if (const auto reason = TakeReport(); reason && world_.observer != nullptr) {
    world_.observer->OnClosed(*reason);
  }
}

std::optional<MemoryCommitLog::Answer> MemoryCommitLog::TakeAnswer() {
  MutexLock lock(mutex_);
  if (!MayAnswer()) {
    draining_ = false;
    return std::nullopt;
  }
  Entry entry = std::move(queue_.front());
  queue_.pop_front();
  if (entry.batch && allowed_ != kNotHeld && allowed_ > 0) --allowed_;
  const bool has_writes = entry.batch && !entry.batch->empty();
  std::optional<BatchNotes> notes;
  if (has_writes && !closed_) notes = Commit(*std::move(entry.batch));
  Result<CommitIndex> result = closed_ ? Result<CommitIndex>(*closed_) : Result<CommitIndex>(last_);
  return Answer{std::move(entry.committed), std::move(result), std::move(notes)};
}

bool MemoryCommitLog::MayAnswer() const {
  if (queue_.empty()) return false;
  return closed_.has_value() || allowed_ > 0 || !queue_.front().batch.has_value();
}

std::optional<BatchNotes> MemoryCommitLog::Commit(WriteBatch batch) {
  const std::size_t bytes = batch.bytes().size();
  WriteBatch index;
  world_.row.Put(last_.Next(), index);
  const WriteBatch both[] = {std::move(batch), std::move(index)};
  OrderedWrites writes;
  Status applied = both[0].Visit(store_.tables(), writes);
  if (applied.ok() && world_.applied != nullptr) world_.applied->OnApplying(writes.notes());
  if (applied.ok()) applied = store_.Apply(both);
  if (!applied.ok()) {
    closed_ = ClosedBy(applied, Outcome::kNotDone);
    return std::nullopt;
  }
  last_ = last_.Next();
  ++stats_.commits;
  ++stats_.groups;
  stats_.bytes += bytes;
  return writes.notes();
}

std::optional<Status> MemoryCommitLog::TakeReport() {
  MutexLock lock(mutex_);
  if (!closed_.has_value() || reported_) return std::nullopt;
  reported_ = true;
  return closed_;
}

}  // namespace wharf
