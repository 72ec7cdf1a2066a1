// CommitLog: makes write batches durable, in order. The seam between deciding and being sure.
//
// The shard appends one batch a turn and goes on; what it appended becomes durable later, in the
// order of Append, and each completion says so. After a failure the log is closed for good: the
// waiting completions hear that the outcome is unknown, and nothing is retried, because a failed
// fsync may have lost pages that a second one would call clean.
#pragma once

#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "storage/base/ids.h"
#include "storage/base/status.h"
#include "storage/write_batch.h"

namespace wharf {

// The place of a batch in the order of commits, from 1.
using CommitIndex = StrongId<struct CommitIndexTag, std::uint64_t>;

class CommitLog {
 public:
  // Called once for each Append, in order, on a thread of the log (or inside Append, if the log has
  // none). After it was called with success the batch is durable and seen by every new view of the
  // store.
  using Committed = absl::AnyInvocable<void(Result<CommitIndex>) &&>;

  // Told when the log can be used and when it no longer can; on a thread of the log.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void OnOpen() = 0;
    virtual void OnClosed(Status reason) = 0;
  };

  virtual ~CommitLog() = default;

  // Queues the batch and returns. An empty batch is committed when everything before it is. On a
  // closed log the completion gets the reason.
  virtual void Append(WriteBatch batch, Committed committed) = 0;
};

}  // namespace wharf
