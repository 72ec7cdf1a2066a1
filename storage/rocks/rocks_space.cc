#include "storage/rocks/rocks_space.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include <rocksdb/table_properties.h>

namespace wharf {
namespace {

// The manager compares inputs with what is left below its maximum, and RocksDB ends in an error if
// all files reach that maximum. This much is added to the maximum and, as room that a compaction
// must leave, to its needs: so it limits compactions and nothing else.
constexpr std::uint64_t kFarAway = std::uint64_t{1} << 61;

// Parts of the blob files that compactions may move, from the usual one to none.
constexpr std::array<const char*, 6> kBlobMoves = {"0.5", "0.25", "0.1", "0.05", "0.01", "0"};
constexpr std::array<double, 6> kBlobMoveParts = {0.5, 0.25, 0.1, 0.05, 0.01, 0};

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

}  // namespace

RocksSpace::RocksSpace(std::shared_ptr<rocksdb::SstFileManager> files,
                       std::shared_ptr<DamagedFiles> damaged_files, HandCompaction how)
    : files_(std::move(files)), damaged_files_(std::move(damaged_files)), how_(how) {}

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

void RocksSpace::LimitCompactions(std::uint64_t bytes) {
  MutexLock lock(mutex_);
  limit_ = bytes;
  if (!is_lifted_) Apply(bytes);
  LimitBlobMoves(bytes);
}

void RocksSpace::Apply(std::uint64_t bytes) {
  files_->SetCompactionBufferSize(kFarAway);
  files_->SetMaxAllowedSpaceUsage(kFarAway + files_->GetTotalSize() + bytes);
}

// Half of what is free at most: while they are moved, others write, too.
void RocksSpace::LimitBlobMoves(std::uint64_t bytes) {
  if (db_ == nullptr) return;
  const auto blob_bytes =
      static_cast<double>(SumOf(*db_, rocksdb::DB::Properties::kLiveBlobFileSize));
  std::size_t moves = 0;
  while (kBlobMoveParts[moves] * blob_bytes > static_cast<double>(bytes) / 2) ++moves;
  if (std::exchange(blob_moves_, moves) == moves) return;
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    if (!(*options_)[table].in_blob_files) continue;
    // Takes effect even if the file of options cannot be written; then it is not kept, and a start
    // begins with the usual part.
    const std::unordered_map<std::string, std::string> changed = {
        {"blob_garbage_collection_age_cutoff", kBlobMoves[moves]}};
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
  return Run(deadness.live_bytes(), [this, table] {
    return CompactByHand(how_, *db_, *table, nullptr, nullptr, /*is_exclusive=*/false);
  });
}

// Where it fits it is not asked again whether it does.
rocksdb::Status RocksSpace::Run(std::uint64_t live_bytes,
                                const std::function<rocksdb::Status()>& compact) {
  {
    MutexLock lock(mutex_);
    is_lifted_ = limit_ && live_bytes <= *limit_;
    if (is_lifted_) files_->SetMaxAllowedSpaceUsage(0);
  }
  rocksdb::Status status = compact();
  MutexLock lock(mutex_);
  if (std::exchange(is_lifted_, false)) Apply(*limit_);
  return status;
}

}  // namespace wharf
