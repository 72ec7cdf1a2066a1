// BatchArchive: keeps what is committed beside the log, so that a backup can be rolled forward to
// any commit behind it.
//
//   applier ---> queue ---> blocks of a file       FOLDER/.archive/OWNER     (archive_format.h)
//   (durable)      |
//                  +---> too much: a hole; another run begins when there is room again
//
// Whoever commits copies the bytes into the queue, and waits for nothing: neither for the disk of
// the archive nor for its errors. What does not fit into the queue, or cannot be written, is
// missing: a hole, of which the log, `stats` and the runs on the disk tell. It syncs by itself, at
// times of its own.
//
// The data folder says which run its commits are in (DATA/ARCHIVE). A start that finds this run to
// be the last one in the archive goes on with it: what a crash has kept out of it is taken from the
// log, if that still has it. Otherwise, and where nobody was there to archive what was committed,
// another run begins.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/apply/batch_applier.h"
#include "storage/archive/archive_folder.h"
#include "storage/archive/archive_writer.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/disk/disk_gate.h"
#include "storage/entry_log.h"
#include "storage/sealed/recipient.h"
#include "storage/state_position.h"

namespace wharf {

struct ArchiveStats {
  // On the disk by now, also if it is not synced; 0: none.
  CommitIndex last{};
  Timestamp last_time{};
  // Since the start.
  std::uint64_t missing_commits = 0;
  std::uint64_t holes = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t waiting_bytes = 0;
  // Why nothing is archived just now, in a sentence; empty: it is.
  std::string trouble{};
};

// Its thread may be in a call that the disk never answers. Whoever stops it waits for so long and
// no longer, and goes on without the thread, which keeps it alive: so it is shared, unless it is
// never stopped like that.
class BatchArchive final : public BatchListener, public std::enable_shared_from_this<BatchArchive> {
 public:
  struct Options {
    std::string backups{};  // The folder of the backups.
    std::string data{};
    std::uint64_t bytes_max = 0;
    // In memory. One that is larger than all of it is taken when nothing else is there.
    std::size_t queue_bytes_max = std::size_t{32} << 20;
    // For how long nothing is tried after an error.
    Duration pause = std::chrono::seconds(10);
    // What a start waits for a disk that does not answer, or is too slow for what is missing.
    Duration start_max = std::chrono::seconds(3);
    // Whom it is encrypted to; none: it is in the clear.
    std::optional<Recipient> encrypt_to{};
    std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;  // Null: the real one.
  };
  struct World {
    std::function<Timestamp()> wall;
    // Of the data, which comes first. Empty: it has room.
    std::function<DiskReport()> disk{};
  };

  BatchArchive(Options options, World world);
  ~BatchArchive() override;

  // The batches that are committed next are behind `last`, which is what the state at the position
  // has; the log may have some behind that, which come again. Once, before the first OnBatches.
  void Begin(const std::string& owner, const EntryLog& log, const StatePosition& position,
             CommitIndex last);
  void OnBatches(CommitIndex last, std::uint32_t batches, std::string_view bytes) override;
  // Writes what waits. False: that was not done in this time, and what waits is not written.
  bool Stop(Duration max = Duration::max());

  // That a backup which is made now can be rolled forward with; 0: none.
  std::uint64_t run();
  ArchiveStats stats() const;
  // What is committed from now on is archived by nobody, or by somebody else. Null: the real file
  // system.
  static void Forget(const std::string& data,
                     std::shared_ptr<rocksdb::FileSystem> file_system = nullptr);

 private:
  struct Item {
    CommitIndex last{};
    std::uint32_t batches = 0;
    std::string bytes{};
    // Of the run that begins with it; 0: it goes on.
    std::uint64_t begins_run = 0;
  };
  // What the thread finds on the disk.
  struct Found {
    std::uint64_t run = 0;
    std::uint64_t last_run = 0;
    CommitIndex last{};
    Timestamp last_time{};
    // The last run is of another key, or of none.
    bool is_of_other_key = false;
  };

  // --- who begins
  std::optional<Found> AwaitFound(Duration until);
  // Whether the run that was found goes on.
  bool GoOn(const Found& found, const EntryLog& log, const StatePosition& position,
            CommitIndex last, Duration until);
  Status FillFrom(const EntryLog& log, const StatePosition& position, CommitIndex last,
                  CommitIndex first, Duration until);

  void Queue(CommitIndex last, std::uint32_t batches, std::string_view bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakesMore(std::size_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsResting() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Break(CommitIndex from, const std::string& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What was committed before this start, and will never be in it.
  void NoteHoleOfStart() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::uint64_t NewRun() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // --- on its thread
  void Run();
  void WriteUntilItEnds();
  bool IsLeft() const;
  Status CheckNotLeft() const;
  Status Look();
  bool Take(std::deque<Item>& items);
  void WriteAll(std::deque<Item> items);
  void Sync();
  Status Write(const std::deque<Item>& items);
  Status WriteBlock(std::vector<ArchivedBatches>& records);
  Status CheckDisk() const;
  Status BeginRun(const Item& item);
  Status MarkData(std::uint64_t run) const;
  Status SyncIfDue(bool is_idle);
  void NoteTrouble(const Status& why);
  // What was taken, and all that waits behind it.
  void GiveUp(std::deque<Item> taken, const Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  const World world_;
  LogLimit warnings_;

  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any changed_;
  std::string owner_ ABSL_GUARDED_BY(mutex_);
  std::optional<Found> found_ ABSL_GUARDED_BY(mutex_);
  std::deque<Item> queue_ ABSL_GUARDED_BY(mutex_);
  // With what the thread has taken and not written.
  std::size_t queue_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_begun_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Nobody waits for the thread any more.
  bool is_left_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // What was committed before the start; and whether the run that was found does not go on.
  CommitIndex begun_behind_ ABSL_GUARDED_BY(mutex_);
  bool begins_anew_ ABSL_GUARDED_BY(mutex_) = false;
  // The next commit that is to come.
  CommitIndex next_ ABSL_GUARDED_BY(mutex_);
  // 0: there is a hole, and the run behind it has not begun.
  std::uint64_t run_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_run_ ABSL_GUARDED_BY(mutex_) = 0;
  // Nothing is taken until then, and as long as something waits.
  Duration rests_until_ ABSL_GUARDED_BY(mutex_){};
  ArchiveStats stats_ ABSL_GUARDED_BY(mutex_);

  // Of its thread.
  std::unique_ptr<ArchiveFolder> folder_;
  std::unique_ptr<ArchiveWriter> writer_;
  std::uint64_t block_bytes_max_ = 0;
  Timestamp last_time_{};
  Duration unsynced_since_{};
  std::thread thread_;
};

}  // namespace wharf
