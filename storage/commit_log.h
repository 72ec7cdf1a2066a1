// CommitLog: makes write batches durable, in order. The seam between deciding and being sure.
//
// The shard appends one batch a turn and goes on; what it appended becomes durable later, in the
// order of Append, and each completion says so. After a failure the log is closed for good: the
// waiting completions hear why, and nothing is retried, because a failed fsync may have lost pages
// that a second one would call clean.
//
// A batch that cannot be applied (WriteBatch::Visit) is never written: what was appended before it
// is committed, it and everything behind it hear "not done", because what came later was planned on
// top of it, and the log is closed.
#pragma once

#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "storage/base/ids.h"
#include "storage/base/latency.h"
#include "storage/base/status.h"
#include "storage/batch_notes.h"
#include "storage/write_batch.h"

namespace wharf {

// The place of a batch in the order of commits, from 1. Goes on over restarts (AppliedIndexRow); an
// empty batch takes no place of its own.
using CommitIndex = StrongId<struct CommitIndexTag, std::uint64_t>;

class CommitLog {
 public:
  // Called once for each Append, in order and one after another, on a thread of the log (or inside
  // Append, if the log has none). After it was called with success the batch is durable and seen by
  // every new view of the store.
  using Committed = absl::AnyInvocable<void(Result<CommitIndex>) &&>;
  // Called once for each Confirm, in its place among the completions of Append; with the index of
  // the last batch before it.
  using Confirmed = Committed;

  // Told when the log can be used and when it no longer can; on a thread of the log.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void OnOpen() = 0;
    virtual void OnClosed(Status reason) = 0;
  };

  // Told what batches say beside their rows before new views see them and as soon as they do; on a
  // thread of the log. That may be later than their completions: nobody has made a view in between.
  // Wherever batches are applied there is one, also where nobody plans any. After a crash nobody
  // hears of it again.
  class ApplyListener {
   public:
    virtual ~ApplyListener() = default;
    // What one write is about to apply. Whoever takes it for true too early is right all the
    // same only about what ceases to be true: it may come to nothing, if the write fails.
    virtual void OnApplying(const BatchNotes& /*notes*/) {}
    // What one write has applied.
    virtual void OnApplied(BatchNotes notes) = 0;
  };

  // Since the log was opened.
  struct Stats {
    std::uint64_t commits = 0;         // Batches made durable.
    std::uint64_t groups = 0;          // Synced writes.
    std::uint64_t bytes = 0;           // Bytes of the batches.
    Latency::Snapshot sync_latency{};  // Of synced writes.
    // For how long the disk has been at something that commits wait for: a sync, or a write or a
    // flush of what was committed before; of a replicated log, for how long the first of what is
    // proposed has waited. Zero: they wait for nothing.
    Duration disk_age{};
  };

  virtual ~CommitLog() = default;

  // Queues the batch and returns. An empty batch is committed when everything before it is. On a
  // closed log the completion gets the reason.
  virtual void Append(WriteBatch batch, Committed committed) = 0;

  // For a look that changes nothing: answered when everything appended before is committed and this
  // log is still the one that commits. A log that knows so without asking anybody answers inside
  // the call when the completions of everything before have returned. On a closed log the answer is
  // the reason.
  virtual void Confirm(Confirmed confirmed) = 0;

  // Any thread may ask.
  virtual Stats stats() const = 0;
};

// What is heard of a log that had to close because of this.
inline Status ClosedBy(const Status& cause, Outcome outcome) {
  return {ErrorCode::kServiceCommunicationProblem, "the commit log is closed: " + cause.message(),
          outcome};
}

}  // namespace wharf
