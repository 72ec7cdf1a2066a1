// SegmentCommitLog: makes write batches durable in a log of entries on this machine's disk, and
// writes what they do to the store late.
//
//   Append ---> waiting ---> entries, one sync ---> told: completion
//                                 |
//                                 +---> LateWriter ---> one write: rows + position      (a span)
//
// One thread takes everything that is waiting, appends it to the log, syncs once, gives it to the
// writer and takes the next: a group gathers while the sync of the one before runs. The store has
// no log of its own: after a crash it is that of the last flush, and a start applies what the log
// has behind it, before anybody reads. Who reads, reads through store(), for whom everything that
// was told is written first. The log is cut behind what is flushed, and a flush is due when a start
// would have much to apply; where it would have too much, the next group waits for a flush.
//
// A batch is checked before it is written to the log, where one that cannot be applied would end
// every start. The first failure, of the log or of the store, closes it for good. Append and
// Confirm may be called on any thread; completions and the observer are called one after another,
// on the log's thread or the writer's, but for a Confirm with nothing before it, which is answered
// inside the call.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/applied_index_row.h"
#include "storage/apply/batch_applier.h"
#include "storage/apply/caught_up_store.h"
#include "storage/apply/entry.h"
#include "storage/apply/late_writer.h"
#include "storage/apply/log_keeper.h"
#include "storage/apply/positioned_store.h"
#include "storage/archive/batch_archive.h"
#include "storage/base/latency.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/under_way.h"
#include "storage/commit_log.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/log_bound.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class SegmentCommitLog final : public CommitLog {
 public:
  struct Options {
    LateWriter::Options late{};
    LogBound bound{.unflushed_bytes_max = std::uint64_t{96} << 20,
                   .replayed_bytes_max = std::uint64_t{128} << 20};
    // Of one entry, with what is around its payload; a larger batch is several.
    std::size_t entry_bytes_max = std::size_t{4} << 20;
  };

  // What hears of commits, and where they count. What is pointed to outlives the log.
  struct World {
    CommitLog::Observer& observer;
    CommitLog::ApplyListener* applied = nullptr;  // Null: nobody hears of notes.
    StatePositionRow position{};
    AppliedIndexRow row{};
    std::function<Duration()> now =
        SteadyNow;  // Times the disk: commits that take long are logged.
    // Keeps what is committed. Null: nobody does.
    BatchArchive* archive = nullptr;
    // Whose archive it is.
    std::string owner{};
  };

  // Applies what the store lacks, and goes on from there. If the two do not fit together the log is
  // closed from the start, and its observer hears why.
  SegmentCommitLog(const Options& options, RocksStore& store, std::unique_ptr<SegmentLog> log,
                   World world);
  ~SegmentCommitLog() override;

  void Append(WriteBatch batch, Committed committed) override;
  void Confirm(Confirmed confirmed) override;
  Stats stats() const override;

  // Everything that was committed, for whoever reads. Not on the thread of a completion.
  const Store& store() const { return caught_up_; }
  // What was completed when this is called is in the store when it returns; or why it is not.
  Status WriteAll();

  // Looks soon whether the log may be cut, or a flush is due; to be called now and then, because a
  // log that nothing is appended to does not look by itself.
  void Look();

  // Waits until everything that was appended is answered and written. Nobody appends meanwhile,
  // except a completion.
  void Stop();

 private:
  struct Waiting {
    WriteBatch batch;  // Empty: a look.
    Committed committed;
  };
  struct Group {
    std::vector<Waiting> waiting;
    std::size_t bytes = 0;
  };
  // Durable, or refused; answered in this order.
  struct Answer {
    Committed committed;
    // Of the batch, or of the last one before the look.
    Result<CommitIndex> result;
  };

  Status Recover();
  void Queue(WriteBatch batch, Committed committed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run();
  // An empty one: somebody asked to look. None: stop.
  std::optional<Group> TakeGroup();
  void Commit(Group group);
  // How many can be applied; the log closes at the first that cannot.
  std::size_t CountGood(const Group& group);
  Status AppendToLog(const Group& group, std::size_t good);
  // Until so much more may be replayed by a start; the store cannot keep up.
  void AwaitFlush(std::size_t bytes);
  std::vector<LogEntry> EntriesOf(const Group& group, std::size_t good);
  void AddEntry(const EntryHead& head, const std::vector<std::string_view>& payload,
                std::vector<LogEntry>& entries) const;
  void AddParts(std::string_view batch, std::vector<LogEntry>& entries) const;
  void Apply(Group& group, std::size_t good);
  void QueueAnswers(Group& group, std::size_t good, const Status& written);
  // Of much that was appended since, or because somebody asked.
  Status CutLog(bool is_asked);
  void WarnIfSlow(Duration took);

  Status closed() const;
  void Close(const Status& reason);
  // On the writer's thread, or the keeper's.
  void OnStateFailed(const Status& why);
  void OnApplied(CommitIndex last);
  // Answers what can be answered, unless another call or thread already does.
  void Drain();
  std::optional<absl::AnyInvocable<void() &&>> TakeCall();
  bool IsDone(const Answer& first) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  const World world_;
  RocksStore& rocks_;
  const std::unique_ptr<SegmentLog> log_;  // Of the log's thread, but for its stats.
  PositionedStore state_;
  UnderWay flush_;  // One that the next group waits for.

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Group> waiting_ ABSL_GUARDED_BY(mutex_);
  std::deque<Answer> answers_ ABSL_GUARDED_BY(mutex_);
  // Of what was appended, whose completion has not returned.
  std::size_t unanswered_ ABSL_GUARDED_BY(mutex_) = 0;
  CommitIndex told_ ABSL_GUARDED_BY(mutex_);
  Status closed_ ABSL_GUARDED_BY(mutex_);
  bool is_reported_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_answering_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_asked_to_look_ ABSL_GUARDED_BY(mutex_) = false;
  // Nothing more of what is durable will be in the store.
  bool has_state_failed_ ABSL_GUARDED_BY(mutex_) = false;
  Stats stats_ ABSL_GUARDED_BY(mutex_);

  // Owned by the log's thread.
  CommitIndex last_;
  LogLimit warnings_;
  // Up to where the log was when it was last looked whether it may be cut.
  std::uint64_t looked_at_ = 0;

  std::optional<BatchApplier> applier_;  // Used by the writer.
  std::optional<LateWriter> late_;
  CaughtUpStore caught_up_;
  std::optional<LogKeeper> keeper_;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
