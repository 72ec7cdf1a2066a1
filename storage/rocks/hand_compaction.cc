#include "storage/rocks/hand_compaction.h"

#include <algorithm>
#include <optional>

#include <rocksdb/listener.h>

#include "storage/rocks/table_files.h"

namespace wharf {
namespace {

rocksdb::Status CompactRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table,
                            const rocksdb::Slice* begin, const rocksdb::Slice* end,
                            bool is_exclusive) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = is_exclusive;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  return db.CompactRange(options, &table, begin, end);
}

bool IsAsked(const TableFiles::File& file, const rocksdb::Slice* begin, const rocksdb::Slice* end) {
  return (end == nullptr || file.smallestkey < end->ToString()) &&
         (begin == nullptr || begin->ToString() <= file.largestkey);
}

// All that overlaps goes to the deepest level at once.
rocksdb::Status CompactFilesOf(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table,
                               const rocksdb::Slice* begin, const rocksdb::Slice* end) {
  const TableFiles files(db, table);
  Piece piece;
  piece.into_level = std::max(files.deepest_level(), files.base_level());
  for (const rocksdb::LevelMetaData& level : files.levels()) {
    for (const TableFiles::File& file : level.files) {
      if (IsAsked(file, begin, end)) piece.files.push_back(TableFiles::PathOf(file));
    }
  }
  if (piece.files.empty()) return rocksdb::Status::OK();
  rocksdb::CompactionJobInfo job;
  return files.Compact(piece, job);
}

// What RocksDB does by itself has ended, and nothing of it begins: a file that it compacts would be
// refused to us.
class PausedWork {
 public:
  explicit PausedWork(rocksdb::DB& db) : db_(db), is_paused_(db.PauseBackgroundWork().ok()) {}
  PausedWork(const PausedWork&) = delete;
  PausedWork& operator=(const PausedWork&) = delete;
  ~PausedWork() {
    if (is_paused_) db_.ContinueBackgroundWork().PermitUncheckedError();
  }

 private:
  rocksdb::DB& db_;
  const bool is_paused_;
};

}  // namespace

rocksdb::Status CompactByHand(HandCompaction how, rocksdb::DB& db,
                              rocksdb::ColumnFamilyHandle& table, const rocksdb::Slice* begin,
                              const rocksdb::Slice* end, bool is_exclusive) {
  if (how == HandCompaction::kFilesOnly) {
    std::optional<PausedWork> paused;
    if (is_exclusive) paused.emplace(db);
    return CompactFilesOf(db, table, begin, end);
  }
  return CompactRows(db, table, begin, end, is_exclusive);
}

bool IsForLater(const rocksdb::Status& status) {
  return status.IsAborted() || status.IsInvalidArgument() || status.IsCompactionTooLarge() ||
         status.IsIncomplete() || status.IsShutdownInProgress();
}

}  // namespace wharf
