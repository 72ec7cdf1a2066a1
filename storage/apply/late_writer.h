// LateWriter: makes the state out of entries that are durable in a log, and has a thread for the
// writing, so that the log's does not wait for it.
//
// An entry is told as applied when it is understood, on the thread that adds it, and written later,
// many groups as one: most of what a queue that is kept empty puts it also deletes, and then need
// not be written at all. Whoever reads the state has it written first (WriteAll); else it is when
// it is much, or old, or when the thread stops. Where too much is not written yet, and where
// members change, it is told when it is written: so who adds, and bounds what it adds by what it
// was told, waits for the store in the end. Used by the commit log of a single node, and by the
// node of a cluster (replication/apply_thread.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "storage/apply/batch_applier.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/under_way.h"

namespace wharf {

class LateWriter {
 public:
  struct Options {
    // Of batches that are told and not written: from so many on they are written, from so many on
    // no more is told.
    std::size_t written_from_bytes = std::size_t{4} << 20;
    std::size_t unwritten_bytes_max = std::size_t{12} << 20;
    // Of deletions of ranges: who makes a view waits for all that is not written, which is long
    // where they are many, and nothing is saved by keeping them.
    std::size_t written_from_ranges = 256;
    // For how long they are not written at the most.
    Duration unwritten_max = std::chrono::milliseconds(100);
    std::function<Duration()> now = SteadyNow;
  };

  // What is pointed to outlives the thread.
  struct World {
    BatchApplier& applier;
    // Everything up to here is applied for whoever reads behind a WriteAll; this batch is the last.
    // On the thread that adds or on this one, in order and one after another.
    std::function<void(const LogPlace& place, CommitIndex last)> on_applied;
    // Nothing is applied any more. On either; before anybody who waits in WriteAll goes on.
    std::function<void(Status)> on_failed;
  };

  LateWriter(const Options& options, World world);
  ~LateWriter();

  // What was told is in the store then.
  void Stop();
  // What was told when this is called is in the store when it returns, unless the thread was ended;
  // where it failed, why. On its own thread nothing is told that is not written.
  Status WriteAll();
  // For how long the store has been at one write; zero: it is at none. Any thread.
  Duration write_age() const { return write_.age(); }

  // One thread adds. Adds to the applier what the log has next, all of it behind the last.
  using Add = absl::AnyInvocable<Status(BatchApplier&)>;
  void Apply(Add add);
  // Nothing is applied from now on, nor written; the thread ends with this call.
  void End(absl::AnyInvocable<void()> last);

 private:
  struct Told {
    LogPlace place{};
    CommitIndex last{};
  };
  // What the thread does in one turn.
  struct Turn {
    // None: nothing is to be written.
    std::optional<BatchApplier::Group> group{};
    // What it tells when that is written.
    std::optional<Told> told{};
    absl::AnyInvocable<void()> end{};
    bool is_last = false;
  };

  // What may be told at once, if anything may.
  Result<std::optional<Told>> AddLocked(Add& add) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Discard() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fail(const Status& status);
  void Run();
  Turn Take();
  void WaitForWork() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWriteDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Status Do(Turn turn);
  Status Write(BatchApplier::Group group);

  const Options options_;
  const World world_;
  UnderWay write_;

  Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any written_more_;
  // Groups are counted: how many the thread has taken, and how many of them are written.
  std::uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t written_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t taken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of the first that was added to the group that is not taken; none: it is empty.
  std::optional<Duration> unwritten_since_ ABSL_GUARDED_BY(mutex_);
  // To be told when it is written, and then by the thread, as long as there is any.
  std::optional<Told> untold_ ABSL_GUARDED_BY(mutex_);
  bool tells_later_ ABSL_GUARDED_BY(mutex_) = false;
  absl::AnyInvocable<void()> end_ ABSL_GUARDED_BY(mutex_);
  bool is_asked_to_write_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Nothing is added any more; and nothing is written.
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // What was told may be lacking in the store for good, and why; known once that is said.
  bool has_discarded_ ABSL_GUARDED_BY(mutex_) = false;
  Status failed_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
