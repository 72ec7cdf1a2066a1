#include "storage/rocks/rocks_space.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include "storage/rocks/rocks_options.h"

namespace wharf {
namespace {

// The manager compares inputs with what is left below its maximum, and RocksDB ends in an error if
// all files reach that maximum. This much is added to the maximum and, as room that a compaction
// must leave, to its needs: so it limits compactions and nothing else.
constexpr std::uint64_t kFarAway = std::uint64_t{1} << 61;

// Parts of the blob files that compactions may move, from the usual one to none.
constexpr std::array<const char*, 6> kBlobMoves = {"0.5", "0.25", "0.1", "0.05", "0.01", "0"};
constexpr std::array<double, 6> kBlobMoveParts = {0.5, 0.25, 0.1, 0.05, 0.01, 0};

// Of what is in memory, which is little more than a file of them.
constexpr std::size_t kFilesOfAFlush = 2;

// Tables with less are left to the compactions that come anyway.
constexpr std::uint64_t kWorthCompacting = 1 << 20;
// A table with more is not compacted for a range that was deleted from it, which may be small.
constexpr std::uint64_t kSmallTable = 256 << 20;

std::uint64_t NumberOf(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* table,
                       const std::string& property) {
  std::uint64_t value = 0;
  return db.GetIntProperty(table, property, &value) ? value : 0;
}

std::uint64_t SumOf(rocksdb::DB& db, const std::string& property) {
  std::uint64_t value = 0;
  return db.GetAggregatedIntProperty(property, &value) ? value : 0;
}

// The blob files of each table, the oldest first, with those that a flush may add before anybody
// looks again. A part of them is a part of their number, and says nothing of their bytes.
class BlobFiles {
 public:
  BlobFiles(rocksdb::DB& db, const TableSet& options,
            std::span<rocksdb::ColumnFamilyHandle* const> tables) {
    for (std::size_t table = 0; table < tables.size(); ++table) {
      if (!options[table].in_blob_files) continue;
      rocksdb::ColumnFamilyMetaData found;
      db.GetColumnFamilyMetaData(tables[table], &found);
      live_bytes_.emplace_back();
      for (const rocksdb::BlobMetaData& file : found.blob_files)
        live_bytes_.back().push_back(file.blob_file_size - file.garbage_blob_bytes);
      live_bytes_.back().resize(found.blob_files.size() + kFilesOfAFlush, kBlobFileBytesMax);
    }
  }

  // Of the oldest, as many as RocksDB takes for the part.
  std::uint64_t LiveBytesIn(double part) const {
    std::uint64_t bytes = 0;
    for (const std::vector<std::uint64_t>& table : live_bytes_) {
      const auto files = static_cast<std::ptrdiff_t>(part * static_cast<double>(table.size()));
      bytes = std::accumulate(table.begin(), table.begin() + files, bytes);
    }
    return bytes;
  }

 private:
  std::vector<std::vector<std::uint64_t>> live_bytes_;
};

}  // namespace

RocksSpace::RocksSpace(std::shared_ptr<rocksdb::SstFileManager> files,
                       std::shared_ptr<DamagedFiles> damaged_files,
                       std::shared_ptr<RunningCompactions> running, HandCompaction how)
    : files_(std::move(files)),
      damaged_files_(std::move(damaged_files)),
      running_(std::move(running)),
      how_(how) {}

void RocksSpace::Attach(rocksdb::DB& db, const TableSet& options,
                        std::span<rocksdb::ColumnFamilyHandle* const> tables) {
  db_ = &db;
  options_ = &options;
  tables_ = tables;
}

StoreSpace::Use RocksSpace::use() const {
  return {.buffer_bytes = SumOf(*db_, rocksdb::DB::Properties::kCurSizeAllMemTables),
          .table_bytes = SumOf(*db_, rocksdb::DB::Properties::kLiveSstFilesSize),
          .blob_bytes = SumOf(*db_, rocksdb::DB::Properties::kLiveBlobFileSize),
          .pending_compaction_bytes =
              SumOf(*db_, rocksdb::DB::Properties::kEstimatePendingCompactionBytes),
          // All tables share it.
          .cache_bytes = NumberOf(*db_, db_->DefaultColumnFamily(),
                                  rocksdb::DB::Properties::kBlockCacheUsage)};
}

std::uint64_t RocksSpace::LimitCompactions(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  LimitBlobMoves(bytes);
  limit_ = bytes - std::min(bytes, moved_blob_bytes_);
  if (!is_lifted_) Apply(*limit_);
  return moved_blob_bytes_;
}

void RocksSpace::Apply(std::uint64_t bytes) {
  files_->SetCompactionBufferSize(kFarAway);
  files_->SetMaxAllowedSpaceUsage(kFarAway + files_->GetTotalSize() + bytes);
}

// A quarter of what is left beside tables at most: while they are moved, others write, too. A
// compaction that has begun keeps to the part that it began with.
void RocksSpace::LimitBlobMoves(std::uint64_t bytes) {
  if (db_ == nullptr) return;
  const std::uint64_t table_bytes = std::min(
      SumOf(*db_, rocksdb::DB::Properties::kLiveSstFilesSize), StoreSpace::kCompactionBytesMax);
  const BlobFiles files(*db_, *options_, tables_);
  const std::uint64_t moved_max = (bytes - std::min(bytes, table_bytes)) / 4;
  std::size_t moves = 0;
  while (files.LiveBytesIn(kBlobMoveParts[moves]) > moved_max) ++moves;
  if (std::exchange(blob_moves_, moves) != moves) SetBlobMoves(moves);
  // One may have begun just before that, and not be counted yet.
  const std::uint64_t before =
      runs_ + running_->count() > 0 ? moved_blob_bytes_ : allowed_blob_bytes_;
  allowed_blob_bytes_ = files.LiveBytesIn(kBlobMoveParts[moves]);
  moved_blob_bytes_ = std::max(allowed_blob_bytes_, before);
}

// Takes effect even if the file of options cannot be written; then it is not kept, and a start
// begins with the usual part.
void RocksSpace::SetBlobMoves(std::size_t moves) const {
  const std::unordered_map<std::string, std::string> changed = {
      {"blob_garbage_collection_age_cutoff", kBlobMoves[moves]}};
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    if ((*options_)[table].in_blob_files)
      db_->SetOptions(tables_[table], changed).PermitUncheckedError();
  }
}

bool RocksSpace::Deadness::is_worth_compacting() const {
  if (bytes + blob_bytes < kWorthCompacting) return false;
  const bool has_dead_rows = deletions > 0 && 3 * deletions >= rows;
  const bool has_dead_ranges = range_deletions > 0 && bytes <= kSmallTable;
  return has_dead_rows || has_dead_ranges ||
         (dead_blob_bytes > 0 && 2 * dead_blob_bytes >= blob_bytes);
}

// Each deletion has a row that it deletes, and both go.
std::uint64_t RocksSpace::Deadness::live_bytes() const {
  const std::uint64_t puts = rows - std::min(rows, deletions);
  const std::uint64_t live = puts - std::min(puts, deletions);
  return puts == 0
             ? 0
             : static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(live) /
                                          static_cast<double>(puts));
}

rocksdb::Status RocksSpace::Measure(rocksdb::ColumnFamilyHandle* table, Deadness& deadness) const {
  rocksdb::TablePropertiesCollection files;
  rocksdb::Status status = db_->GetPropertiesOfAllTables(table, &files);
  if (!status.ok()) return status;
  for (const auto& [name, file] : files) {
    deadness.rows += file->num_entries;
    deadness.deletions += file->num_deletions;
    deadness.range_deletions += file->num_range_deletions;
  }
  deadness.bytes = NumberOf(*db_, table, rocksdb::DB::Properties::kLiveSstFilesSize);
  deadness.blob_bytes = NumberOf(*db_, table, rocksdb::DB::Properties::kLiveBlobFileSize);
  deadness.dead_blob_bytes =
      NumberOf(*db_, table, rocksdb::DB::Properties::kLiveBlobFileGarbageSize);
  return status;
}

rocksdb::Status RocksSpace::CompactDead() {
  for (rocksdb::ColumnFamilyHandle* table : tables_) {
    if (damaged_files_->IsAtRest(table->GetID())) continue;
    rocksdb::Status status = CompactDead(table);
    // It was broken off, or must wait until there is more room, or has met damage just now.
    const bool is_left = IsForLater(status) || damaged_files_->IsAtRest(table->GetID()) ||
                         damaged_files_->Meet(table->GetID(), status);
    if (!status.ok() && !is_left) return status;
  }
  return rocksdb::Status::OK();
}

rocksdb::Status RocksSpace::CompactDead(rocksdb::ColumnFamilyHandle* table) {
  Deadness deadness;
  rocksdb::Status status = Measure(table, deadness);
  if (!status.ok() || !deadness.is_worth_compacting()) return status;
  return RunWithin(deadness.live_bytes(), [this, table] {
    return CompactByHand(how_, *db_, *table, nullptr, nullptr, /*is_exclusive=*/false);
  });
}

// Where it fits it is not asked again whether it does.
rocksdb::Status RocksSpace::RunWithin(std::uint64_t live_bytes,
                                      const std::function<rocksdb::Status()>& compact) {
  {
    MutexLock lock(mutex_);
    is_lifted_ = limit_ && live_bytes <= *limit_;
    if (is_lifted_) files_->SetMaxAllowedSpaceUsage(0);
  }
  rocksdb::Status status = Run(compact);
  MutexLock lock(mutex_);
  if (std::exchange(is_lifted_, false)) Apply(*limit_);
  return status;
}

rocksdb::Status RocksSpace::Run(const std::function<rocksdb::Status()>& compact) {
  {
    MutexLock lock(mutex_);
    ++runs_;
  }
  rocksdb::Status status = compact();
  MutexLock lock(mutex_);
  --runs_;
  return status;
}

}  // namespace wharf
