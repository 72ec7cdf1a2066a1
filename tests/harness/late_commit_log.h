// LateCommitLog: a commit log that commits later, when the work that it posts is run.
//
// Stands before the log that commits. Batches keep their order, as the seam promises; how late each
// is, and what else runs before, is up to who runs the work. Used by EngineHarness, on its thread.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "storage/base/executor.h"
#include "storage/commit_log.h"

namespace wharf {

class LateCommitLog final : public CommitLog {
 public:
  // Each commit is a piece of work for `disk`.
  LateCommitLog(CommitLog& log, Executor& disk) : log_(log), disk_(disk) {}

  void Append(WriteBatch batch, Committed committed) override;
  // Asks the log if nothing is before it here.
  void Confirm(Confirmed confirmed) override;
  Stats stats() const override { return log_.stats(); }

  // Batches, and looks behind them, that are not committed yet.
  std::size_t waiting() const { return waiting_.size(); }
  // The first `kept` of those that wait are committed, the others are lost, and nobody hears of
  // any. What was posted must be forgotten, too.
  void Crash(std::size_t kept);

 private:
  struct Entry {
    std::optional<WriteBatch> batch;  // None: a Confirm.
    Committed committed;
  };

  void CommitNext();

  CommitLog& log_;
  Executor& disk_;
  std::deque<Entry> waiting_;
};

}  // namespace wharf
