// MemoryCommitLog: a commit log without a disk or a thread, for tests.
//
// Append applies the batch to a MemoryStore and calls the completion before it returns. A test that
// wants to stand between plan and commit holds the log: then batches wait until the test commits
// them, or closes the log under them. Any thread may call; completions run one after another, and
// one that appends again is answered after it returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"
#include "storage/memory/memory_store.h"

namespace wharf {

class MemoryCommitLog final : public CommitLog {
 public:
  // Tells the observer at once that the log is open.
  explicit MemoryCommitLog(MemoryStore& store, CommitLog::Observer* observer = nullptr);

  void Append(WriteBatch batch, Committed committed) override;

  // From now on Append only queues.
  void Hold();
  // Commits the first `count` batches that are queued now; what they append waits. Returns how
  // many.
  std::size_t CommitHeld(std::size_t count = SIZE_MAX);
  // Commits what is queued and goes on as before Hold.
  void Release();
  // Closes for good: queued batches are not applied, and hear that the outcome is unknown. A batch
  // that cannot be read closes the log too.
  void Close(const Status& reason);

 private:
  static constexpr std::size_t kNotHeld = SIZE_MAX;

  struct Entry {
    WriteBatch batch;
    Committed committed;
  };

  // Commits as many batches as allowed, unless a caller further up or another thread already does.
  void Drain();
  // The first batch and its answer, if it may be answered now.
  std::optional<std::pair<Committed, Result<CommitIndex>>> TakeAnswer();
  Result<CommitIndex> Commit(const WriteBatch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Why the log is closed, if the observer does not know yet.
  std::optional<Status> TakeReport();

  MemoryStore& store_;
  CommitLog::Observer* const observer_;

  Mutex mutex_;
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mutex_);
  // How many batches may be committed; kNotHeld if the log is not held.
  std::size_t allowed_ ABSL_GUARDED_BY(mutex_) = kNotHeld;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  CommitIndex last_ ABSL_GUARDED_BY(mutex_);
  // Why the log is closed, once it is, and whether the observer knows.
  std::optional<Status> closed_ ABSL_GUARDED_BY(mutex_);
  bool reported_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
