// LocalCommitLog: makes write batches durable on this machine's disk.
//
// One thread takes everything that is waiting, writes it to the RocksStore as one synced write,
// calls the completions in order and takes the next: a group gathers while the fsync of the one
// before runs, so the busier the broker, the more messages an fsync carries. Group n+1 is written
// only after the fsync of group n returned; recovery relies on it (wal_check.h).
//
// The first failed write closes the log for good. Append may be called on any thread; the observer
// and the completions are called on the log's thread. Commit indexes count from 1 since the log was
// opened.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class LocalCommitLog final : public CommitLog {
 public:
  // Since the log was opened.
  struct Stats {
    std::uint64_t commits = 0;  // Batches made durable, empty ones too.
    std::uint64_t groups = 0;   // Synced writes.
    std::uint64_t bytes = 0;    // Bytes of the batches.
  };

  // Tells the time; whose does not matter.
  using Now = std::function<Duration()>;

  // `now` times the disk: commits that take long are logged.
  LocalCommitLog(RocksStore& store, CommitLog::Observer& observer, Now now = SteadyNow);

  ~LocalCommitLog() override;

  // Writes what was appended, calls its completions, then stops. Nobody may append meanwhile,
  // except a completion, or later. From one thread; what is destroyed is stopped first.
  void Stop();

  void Append(WriteBatch batch, Committed committed) override;

  // Any thread may ask.
  Stats stats() const;

 private:
  // What is written as one. The completions stand in the order of the batches.
  struct Group {
    std::vector<WriteBatch> batches;
    std::vector<Committed> completions;
    std::size_t bytes = 0;
  };

  void Run();
  // Waits for something to write; nothing when the log is to stop and all is written.
  std::optional<Group> TakeGroup();
  void Commit(Group& group);
  // An error closes the log.
  Status Write(const Group& group);
  void WarnIfSlow(Duration took);
  void Answer(Committed& committed);

  RocksStore& store_;
  CommitLog::Observer& observer_;
  const Now now_;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Group> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  // Owned by the log's thread.
  CommitIndex last_;
  Status closed_;  // Not ok once the log is closed.
  LogLimit warnings_;

  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> groups_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;

  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
