// MemoryCommitLog: a commit log without a disk or a thread, for tests.
//
// Append applies the batch to an AppliedStore and calls the completion before it returns. A test
// that wants to stand between plan and commit holds the log: then batches wait until the test
// commits them, or closes the log under them. A Confirm waits only for what is before it. Any
// thread may call; completions run one after another, and one that appends again is answered after
// it returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "storage/applied_index_row.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"
#include "storage/memory/applied_store.h"

namespace wharf {

class MemoryCommitLog final : public CommitLog {
 public:
  struct World {
    CommitLog::Observer* observer = nullptr;
    CommitLog::ApplyListener* applied = nullptr;
    AppliedIndexRow row{};
  };

  // Tells the observer at once that the log is open.
  explicit MemoryCommitLog(AppliedStore& store) : MemoryCommitLog(store, World()) {}
  MemoryCommitLog(AppliedStore& store, World world);

  void Append(WriteBatch batch, Committed committed) override;
  void Confirm(Confirmed confirmed) override;
  Stats stats() const override;

  // From now on Append only queues.
  void Hold();
  // Commits the first `count` batches that are queued now; what they append waits. Returns how
  // many.
  std::size_t CommitHeld(std::size_t count = SIZE_MAX);
  // Commits what is queued and goes on as before Hold.
  void Release();
  // Closes for good: queued batches are not applied, and hear that the outcome is unknown.
  void Close(const Status& reason);

 private:
  static constexpr std::size_t kNotHeld = SIZE_MAX;

  struct Entry {
    std::optional<WriteBatch> batch;  // None: a Confirm.
    Committed committed;
  };

  struct Answer {
    Committed committed;
    Result<CommitIndex> result;
    // What the listener is told before.
    std::optional<BatchNotes> notes;
  };

  void CloseBecause(Status reason);
  // Commits as many batches as allowed, unless a caller further up or another thread already does.
  void Drain();
  // The first completion and its answer, if it may be answered now.
  std::optional<Answer> TakeAnswer();
  bool MayAnswer() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the batch notes, if it was applied; closes the log if it cannot be.
  std::optional<BatchNotes> Commit(WriteBatch batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Why the log is closed, if the observer does not know yet.
  std::optional<Status> TakeReport();

  AppliedStore& store_;
  const World world_;

  mutable Mutex mutex_;
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mutex_);
  // How many batches may be committed; kNotHeld if the log is not held.
  std::size_t allowed_ ABSL_GUARDED_BY(mutex_) = kNotHeld;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  CommitIndex last_ ABSL_GUARDED_BY(mutex_);
  Stats stats_ ABSL_GUARDED_BY(mutex_);
  // Why the log is closed, once it is, and whether the observer knows.
  std::optional<Status> closed_ ABSL_GUARDED_BY(mutex_);
  bool reported_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
