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
#include <mutex>
#include <optional>
#include <utility>

#include "storage/commit_log.h"
#include "storage/memory_store.h"

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
  struct Entry {
    WriteBatch batch;
    Committed committed;
  };

  // Commits as many batches as allowed, unless a caller further up or another thread already does.
  void Drain();
  // The first batch and its answer, if it may be answered now.
  std::optional<std::pair<Committed, Result<CommitIndex>>> TakeAnswer();
  Result<CommitIndex> Commit(const WriteBatch& batch);
  // Why the log is closed, if the observer does not know yet.
  std::optional<Status> TakeReport();

  MemoryStore& store_;
  CommitLog::Observer* const observer_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Entry> queue_;
  std::size_t allowed_ = SIZE_MAX;  // How many batches may be committed; SIZE_MAX if not held.
  bool draining_ = false;
  CommitIndex last_;
  std::optional<Status> closed_;  // Why, once it is.
  bool reported_ = false;         // The observer knows that it is closed.
};

}  // namespace wharf
