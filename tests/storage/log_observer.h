// LogObserver: remembers what a commit log told it. CommitAndWait, ConfirmAndWait: calls that wait
// for their answer.
#pragma once

#include <future>
#include <utility>

#include "storage/commit_log.h"

namespace wharf {

// The test may wait for either; each is told at most once.
class LogObserver final : public CommitLog::Observer {
 public:
  void OnOpen() override { open_.set_value(); }
  void OnClosed(Status reason) override { closed_.set_value(std::move(reason)); }

  void WaitUntilOpen() { open_.get_future().wait(); }
  Status WaitUntilClosed() { return closed_.get_future().get(); }

 private:
  std::promise<void> open_;
  std::promise<Status> closed_;
};

inline Result<CommitIndex> CommitAndWait(CommitLog& log, WriteBatch batch) {
  std::promise<Result<CommitIndex>> answer;
  log.Append(std::move(batch),
             [&answer](Result<CommitIndex> result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

inline Result<CommitIndex> ConfirmAndWait(CommitLog& log) {
  std::promise<Result<CommitIndex>> answer;
  log.Confirm([&answer](Result<CommitIndex> result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

}  // namespace wharf
