#include "tests/harness/late_commit_log.h"

#include <utility>

namespace wharf {

void LateCommitLog::Append(WriteBatch batch, Committed committed) {
  waiting_.push_back({std::move(batch), std::move(committed)});
  disk_.Post([this] { CommitNext(); });
}

void LateCommitLog::CommitNext() {
  Entry entry = std::move(waiting_.front());
  waiting_.pop_front();
  log_.Append(std::move(entry.batch), std::move(entry.committed));
}

void LateCommitLog::Crash(std::size_t kept) {
  for (; kept > 0; --kept) {
    log_.Append(std::move(waiting_.front().batch), [](const Result<CommitIndex>&) {});
    waiting_.pop_front();
  }
  waiting_.clear();
}

}  // namespace wharf
