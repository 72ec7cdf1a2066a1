// ClosingLog: a commit log whose leadership ends while the process goes on.
//
// From then on nothing is committed, and what was on its way hears that its outcome is unknown,
// though it may be durable: as where another one leads now. Append and Confirm on any thread, Close
// on any other.
#pragma once

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"

namespace wharf {

class ClosingLog final : public CommitLog {
 public:
  // What commits; it outlives this.
  explicit ClosingLog(CommitLog& log) : log_(log) {}

  void Close(const Status& reason) {
    MutexLock lock(mutex_);
    closed_ = reason;
  }

  // Behind what was appended before, as every completion.
  void Append(WriteBatch batch, Committed committed) override {
    if (closed()) batch = WriteBatch();
    log_.Append(std::move(batch), Heard(Outcome::kUnknown, std::move(committed)));
  }
  void Confirm(Confirmed confirmed) override {
    log_.Confirm(Heard(Outcome::kNotDone, std::move(confirmed)));
  }
  Stats stats() const override { return log_.stats(); }

 private:
  std::optional<Status> closed() const {
    MutexLock lock(mutex_);
    return closed_;
  }

  Committed Heard(Outcome outcome, Committed told) {
    return [this, outcome, told = std::move(told)](const Result<CommitIndex>& committed) mutable {
      const std::optional<Status> closed = this->closed();
      std::move(told)(closed
                          ? Result<CommitIndex>(Status(closed->code(), closed->message(), outcome))
                          : committed);
    };
  }

  CommitLog& log_;
  mutable Mutex mutex_;
  std::optional<Status> closed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
