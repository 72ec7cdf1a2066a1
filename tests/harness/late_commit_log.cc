#include "tests/harness/late_commit_log.h"

#include <utility>

namespace wharf {

void LateCommitLog::Append(WriteBatch batch, Committed committed) {
  waiting_.push_back({std::move(batch), std::move(committed)});
  disk_.Post([this] { CommitNext(); });
}

void LateCommitLog::Confirm(Confirmed confirmed) {
  if (waiting_.empty()) return log_.Confirm(std::move(confirmed));
  waiting_.push_back({std::nullopt, std::move(confirmed)});
  disk_.Post([this] { CommitNext(); });
}

void LateCommitLog::CommitNext() {
  Entry entry = std::move(waiting_.front());
  waiting_.pop_front();
  if (!entry.batch) return log_.Confirm(std::move(entry.committed));
  log_.Append(*std::move(entry.batch), std::move(entry.committed));
}

void LateCommitLog::Crash(std::size_t kept) {
  for (; kept > 0; --kept) {
    if (std::optional<WriteBatch>& batch = waiting_.front().batch) {
      log_.Append(*std::move(batch), [](const Result<CommitIndex>&) {});
    }
    waiting_.pop_front();
  }
  waiting_.clear();
}

}  // namespace wharf
