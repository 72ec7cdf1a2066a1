#include "storage/apply/log_keeper.h"

#include <utility>

#include "storage/base/this_thread.h"

namespace wharf {

LogKeeper::~LogKeeper() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::uint64_t LogKeeper::Look(std::uint64_t known) {
  const std::uint64_t flushed = flushed_;
  const bool is_due = bound_.IsFlushDue(world_.log, flushed);
  {
    MutexLock lock(mutex_);
    if (!is_asking_) asked_ = is_due ? Question::kFlushFirst : Question::kPosition;
  }
  wake_.notify_one();
  return bound_.CutIndex(world_.log, flushed, known);
}

void LogKeeper::Flush() {
  MutexLock lock(mutex_);
  asked_ = Question::kFlushFirst;
  const std::uint64_t mine = taken_ + 1;
  wake_.notify_one();
  while (taken_ < mine || (taken_ == mine && is_asking_)) answered_.wait(mutex_);
}

void LogKeeper::Run() {
  NameThisThread("wharf:log-keep");
  for (Question next = Next(); next != Question::kNone; next = Next()) {
    if (const Status asked = AskDisk(next); !asked.ok()) world_.failed(asked);
  }
}

// None: stop.
LogKeeper::Question LogKeeper::Next() {
  MutexLock lock(mutex_);
  is_asking_ = false;
  answered_.notify_all();
  while (asked_ == Question::kNone && !is_stopping_) wake_.wait(mutex_);
  if (is_stopping_) return Question::kNone;
  is_asking_ = true;
  ++taken_;
  return std::exchange(asked_, Question::kNone);
}

Status LogKeeper::AskDisk(Question question) {
  if (question == Question::kFlushFirst) WHARF_RETURN_IF_ERROR(world_.store.Flush());
  const Result<StatePosition> position = world_.store.FlushedPosition();
  if (!position.ok()) return position.status();
  flushed_ = position->index;
  return {};
}

}  // namespace wharf
