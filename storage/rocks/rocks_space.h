// RocksSpace: what a RocksDB takes of its disk, and how it gives back what is dead. Part of a
// RocksStore; any thread may call.
//
// RocksDB asks an SstFileManager before each compaction whether its inputs would fit once more, and
// puts it off if not; that is how a compaction never fills the disk. Large values that a compaction
// moves to newer blob files are not among its inputs, so for those the part of all blob files that
// may be moved is made smaller instead; and what compactions under way may still move is said, so
// that nobody else counts on its room. Those that come by themselves move no more than is dead
// beside it: RocksDB would move what lives out of the oldest part of all blob files whenever it
// rewrites their keys.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <rocksdb/db.h>
#include <rocksdb/sst_file_manager.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/rocks/damaged_files.h"
#include "storage/rocks/hand_compaction.h"
#include "storage/rocks/running_compactions.h"
#include "storage/store_space.h"
#include "storage/table.h"

namespace wharf {

class RocksSpace {
 public:
  // Of the database that is opened with the manager and tells of its damage.
  RocksSpace(std::shared_ptr<rocksdb::SstFileManager> files,
             std::shared_ptr<DamagedFiles> damaged_files,
             std::shared_ptr<RunningCompactions> running, HandCompaction how);

  // The database is open; it outlives all that follows.
  void Attach(rocksdb::DB& db, const TableSet& options,
              std::span<rocksdb::ColumnFamilyHandle* const> tables);

  StoreSpace::Use use() const;
  // May be called before Attach.
  std::uint64_t LimitCompactions(std::uint64_t bytes);
  // Leaves out tables at rest: they keep their dead rows, and to read their damage again would tell
  // nothing new.
  rocksdb::Status CompactDead();
  // A compaction by hand that writes so much at most, which RocksDB cannot know: it counts what is
  // dead among its inputs. One at a time.
  rocksdb::Status RunWithin(std::uint64_t live_bytes, TableId table,
                            const std::function<rocksdb::Status()>& compact);
  // Any other one by hand.
  rocksdb::Status Run(TableId table, const std::function<rocksdb::Status()>& compact);

 private:
  // How full of dead rows a table is.
  struct Deadness {
    std::uint64_t bytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t deletions = 0;
    std::uint64_t range_deletions = 0;
    std::uint64_t blob_bytes = 0;
    std::uint64_t dead_blob_bytes = 0;

    bool is_worth_compacting() const;
    // What a compaction may leave of it.
    std::uint64_t live_bytes() const;
  };

  rocksdb::Status CompactDead(TableId table);
  rocksdb::Status Measure(rocksdb::ColumnFamilyHandle* table, Deadness& deadness) const;
  void Apply(std::uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The part of all blob files, the oldest, from which a compaction moves what still lives.
  void LimitBlobMoves(std::uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of those that may be: of a compaction by hand, who asks for it knows that it is worth it.
  void ChooseBlobMoves() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetBlobMoves(std::size_t moves) const;

  const std::shared_ptr<rocksdb::SstFileManager> files_;
  const std::shared_ptr<DamagedFiles> damaged_files_;
  const std::shared_ptr<RunningCompactions> running_;
  const HandCompaction how_;
  rocksdb::DB* db_ = nullptr;
  const TableSet* options_ = nullptr;
  std::span<rocksdb::ColumnFamilyHandle* const> tables_;

  Mutex mutex_;
  // For tables. None: nobody has said anything yet, and all fit.
  std::optional<std::uint64_t> limit_ ABSL_GUARDED_BY(mutex_);
  // Compactions by hand that are under way.
  std::size_t runs_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of them, those of tables that have large values.
  std::size_t runs_of_large_ ABSL_GUARDED_BY(mutex_) = 0;
  // One is under way that is known to fit.
  bool is_lifted_ ABSL_GUARDED_BY(mutex_) = false;
  // Parts, by their place: what there is room for, what of it is worth it, and what is set.
  std::size_t room_for_moves_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t worth_moves_ ABSL_GUARDED_BY(mutex_);
  std::size_t moves_ ABSL_GUARDED_BY(mutex_);
  // At most, by compactions that begin now; and by those under way, too.
  std::uint64_t allowed_blob_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t moved_blob_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf
