// LocalCommitLog: makes write batches durable on this machine's disk.
//
// One thread takes everything that is waiting, writes it to the RocksStore as one synced write,
// tells the listener what the batches note, calls the completions in order and takes the next: a
// group gathers while the fsync of the one before runs, so the busier the broker, the more messages
// an fsync carries. Group n+1 is written only after the fsync of group n returned; recovery relies
// on it (wal_check.h).
//
// The same thread finds out whether a batch can be applied, on the one walk that puts its writes
// into order: the shard's thread does not pay for it, and what was not applied was not written.
//
// The first failed write closes the log for good. Append and Confirm may be called on any thread;
// the observer, the listener and the completions are called on the log's thread, but for a Confirm
// with nothing before it, which is answered inside the call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/applied_index_row.h"
#include "storage/base/latency.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/commit_log.h"
#include "storage/log/ordered_writes.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class LocalCommitLog final : public CommitLog {
 public:
  // Tells the time; whose does not matter.
  using Now = std::function<Duration()>;

  // What hears of commits, and where they count. What is pointed to outlives the log.
  struct World {
    CommitLog::Observer& observer;
    CommitLog::ApplyListener* applied = nullptr;  // Null: nobody hears of notes.
    AppliedIndexRow row{};
    Now now = SteadyNow;  // Times the disk: commits that take long are logged.
  };

  // Goes on from where the store is. If it does not say where that is, the log is closed from the
  // start, and its observer hears why.
  LocalCommitLog(RocksStore& store, World world);

  ~LocalCommitLog() override;

  // Writes what was appended, calls its completions, then stops. Nobody may append meanwhile,
  // except a completion, or later. From one thread; what is destroyed is stopped first.
  void Stop();

  void Append(WriteBatch batch, Committed committed) override;
  void Confirm(Confirmed confirmed) override;

  Stats stats() const override;

 private:
  // What is written as one. The completions stand in the order of the batches; that of a Confirm
  // has an empty batch.
  struct Group {
    std::vector<WriteBatch> batches;
    std::vector<Committed> completions;
    std::size_t bytes = 0;
  };

  // The log's thread is awake, or has to be woken.
  void Queue(WriteBatch batch, Committed committed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void Run();
  // Waits for something to write; nothing when the log is to stop and all is written.
  std::optional<Group> TakeGroup();
  void Commit(Group& group);
  // How many batches of the group are committed, from the first on. What keeps the next one from it
  // closes the log.
  std::size_t Write(const Group& group);
  // The batches up to the first that cannot be applied, which closes the log.
  std::span<const WriteBatch> Collect(std::span<const WriteBatch> batches, OrderedWrites& writes);
  // With the index of the last batch.
  Status WriteSynced(OrderedWrites& writes, CommitIndex last);
  void WarnIfSlow(Duration took);
  void Complete(Group& group, std::size_t at, bool is_committed);
  void NoteCompleted(std::size_t count);

  RocksStore& store_;
  const World world_;

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Group> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Completions that have not returned.
  // While there are any, the log's thread is awake.
  std::size_t unanswered_ ABSL_GUARDED_BY(mutex_) = 0;
  // What a Confirm hears if there are none: the last index, or why the log is closed.
  Result<CommitIndex> standing_ ABSL_GUARDED_BY(mutex_);

  // Owned by the log's thread.
  CommitIndex last_;
  Status closed_;  // Not ok once the log is closed.
  LogLimit warnings_;

  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> groups_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  Latency sync_latency_;
  // When the write under way began; kNoWrite: there is none.
  static constexpr Duration::rep kNoWrite = -1;
  std::atomic<Duration::rep> write_began_ = kNoWrite;

  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
