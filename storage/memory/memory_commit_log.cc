#include "storage/memory/memory_commit_log.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

Status OutcomeUnknown(const Status& reason) {
  return {reason.code(), reason.message(), Outcome::kUnknown};
}

}  // namespace

MemoryCommitLog::MemoryCommitLog(MemoryStore& store, CommitLog::Observer* observer)
    : store_(store), observer_(observer) {
  if (observer_ != nullptr) observer_->OnOpen();
}

void MemoryCommitLog::Append(WriteBatch batch, Committed committed) {
  {
    MutexLock lock(mutex_);
    queue_.push_back({std::move(batch), std::move(committed)});
  }
  Drain();
}

void MemoryCommitLog::Hold() {
  MutexLock lock(mutex_);
  allowed_ = 0;
}

std::size_t MemoryCommitLog::CommitHeld(std::size_t count) {
  {
    MutexLock lock(mutex_);
    count = std::min(count, queue_.size());
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
  {
    MutexLock lock(mutex_);
    if (closed_.has_value()) return;
    closed_ = OutcomeUnknown(reason);
  }
  Drain();
}

void MemoryCommitLog::Drain() {
  {
    MutexLock lock(mutex_);
    if (draining_) return;
    draining_ = true;
  }
  while (auto answer = TakeAnswer()) std::move(answer->first)(std::move(answer->second));
  if (const auto reason = TakeReport(); reason && observer_ != nullptr)
    observer_->OnClosed(*reason);
}

std::optional<std::pair<CommitLog::Committed, Result<CommitIndex>>> MemoryCommitLog::TakeAnswer() {
  MutexLock lock(mutex_);
  const bool may_answer = closed_.has_value() || allowed_ > 0;
  if (queue_.empty() || !may_answer) {
    draining_ = false;
    return std::nullopt;
  }
  Entry entry = std::move(queue_.front());
  queue_.pop_front();
  if (allowed_ != kNotHeld && allowed_ > 0) --allowed_;
  return std::pair(std::move(entry.committed), Commit(entry.batch));
}

Result<CommitIndex> MemoryCommitLog::Commit(const WriteBatch& batch) {
  if (closed_.has_value()) return *closed_;
  if (Status status = store_.Apply(batch); !status.ok()) {
    closed_ = OutcomeUnknown(status);
    return *closed_;
  }
  last_ = last_.Next();
  return last_;
}

std::optional<Status> MemoryCommitLog::TakeReport() {
  MutexLock lock(mutex_);
  if (!closed_.has_value() || reported_) return std::nullopt;
  reported_ = true;
  return closed_;
}

}  // namespace wharf
