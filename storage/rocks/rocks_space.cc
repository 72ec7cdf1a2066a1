#include "storage/rocks/rocks_space.h"

#include <algorithm>
#include <array>
#include <span>
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

// Parts of the blob files that compactions may move, from the largest to none.
constexpr std::array<const char*, 6> kBlobMoves = {"0.5", "0.25", "0.1", "0.05", "0.01", "0"};
constexpr std::array<double, 6> kBlobMoveParts = {0.5, 0.25, 0.1, 0.05, 0.01, 0};
// As the tables are opened.
constexpr std::size_t kNoMoves = kBlobMoves.size() - 1;

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
      std::vector<File>& files = files_.emplace_back();
      for (const rocksdb::BlobMetaData& file : found.blob_files)
        files.push_back({file.blob_file_size - file.garbage_blob_bytes, file.garbage_blob_bytes});
      files.resize(files.size() + kFilesOfAFlush, {.live_bytes = kBlobFileBytesMax});
    }
  }

  std::uint64_t LiveBytesIn(double part) const { return Sum(part).live_bytes; }
  // As much is dead in it as lives.
  bool IsWorthMoving(double part) const {
    const File sum = Sum(part);
    return sum.dead_bytes > 0 && sum.dead_bytes >= sum.live_bytes;
  }

 private:
  struct File {
    std::uint64_t live_bytes = 0;
    std::uint64_t dead_bytes = 0;
  };

  // Of the oldest, as many as RocksDB takes for the part.
  File Sum(double part) const {
    File sum;
    for (const std::vector<File>& table : files_) {
      const auto count = static_cast<std::size_t>(part * static_cast<double>(table.size()));
      for (const File& file : std::span(table).first(count)) {
        sum.live_bytes += file.live_bytes;
        sum.dead_bytes += file.dead_bytes;
      }
    }
    return sum;
  }

  // Of each table.
  std::vector<std::vector<File>> files_;
};

}  // namespace

RocksSpace::RocksSpace(std::shared_ptr<rocksdb::SstFileManager> files,
                       std::shared_ptr<DamagedFiles> damaged_files,
                       std::shared_ptr<RunningCompactions> running, HandCompaction how)
    : files_(std::move(files)),
      damaged_files_(std::move(damaged_files)),
      running_(std::move(running)),
      how_(how),
      worth_moves_(kNoMoves),
      moves_(kNoMoves) {}

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
  room_for_moves_ = 0;
  while (files.LiveBytesIn(kBlobMoveParts[room_for_moves_]) > moved_max) ++room_for_moves_;
  worth_moves_ = room_for_moves_;
  while (worth_moves_ < kNoMoves && !files.IsWorthMoving(kBlobMoveParts[worth_moves_])) {
    ++worth_moves_;
  }
  ChooseBlobMoves();
  // One may have begun just before that, and not be counted yet.
  const std::uint64_t before =
      runs_ + running_->count() > 0 ? moved_blob_bytes_ : allowed_blob_bytes_;
  allowed_blob_bytes_ = files.LiveBytesIn(kBlobMoveParts[room_for_moves_]);
  moved_blob_bytes_ = std::max(allowed_blob_bytes_, before);
}

void RocksSpace::ChooseBlobMoves() {
  const std::size_t moves = runs_of_large_ > 0 ? room_for_moves_ : worth_moves_;
  if (std::exchange(moves_, moves) != moves) SetBlobMoves(moves);
}

// Takes effect even if the file of options cannot be written; a start begins with none anyway.
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
  for (TableId table = 0; table < tables_.size(); ++table) {
    const std::uint32_t id = tables_[table]->GetID();
    if (damaged_files_->IsAtRest(id)) continue;
    rocksdb::Status status = CompactDead(table);
    // It was broken off, or must wait until there is more room, or has met damage just now.
    const bool is_left =
        IsForLater(status) || damaged_files_->IsAtRest(id) || damaged_files_->Meet(id, status);
    if (!status.ok() && !is_left) return status;
  }
  return rocksdb::Status::OK();
}

rocksdb::Status RocksSpace::CompactDead(TableId table) {
  Deadness deadness;
  rocksdb::Status status = Measure(tables_[table], deadness);
  if (!status.ok() || !deadness.is_worth_compacting()) return status;
  return RunWithin(deadness.live_bytes(), table, [this, table] {
    return CompactByHand(how_, *db_, *tables_[table], nullptr, nullptr, /*is_exclusive=*/false);
  });
}

// Where it fits it is not asked again whether it does.
rocksdb::Status RocksSpace::RunWithin(std::uint64_t live_bytes, TableId table,
                                      const std::function<rocksdb::Status()>& compact) {
  {
    MutexLock lock(mutex_);
    is_lifted_ = limit_ && live_bytes <= *limit_;
    if (is_lifted_) files_->SetMaxAllowedSpaceUsage(0);
  }
  rocksdb::Status status = Run(table, compact);
  MutexLock lock(mutex_);
  if (std::exchange(is_lifted_, false)) Apply(*limit_);
  return status;
}

rocksdb::Status RocksSpace::Run(TableId table, const std::function<rocksdb::Status()>& compact) {
  const std::size_t of_large = (*options_)[table].in_blob_files ? 1 : 0;
  {
    MutexLock lock(mutex_);
    ++runs_;
    runs_of_large_ += of_large;
    ChooseBlobMoves();
  }
  rocksdb::Status status = compact();
  MutexLock lock(mutex_);
  --runs_;
  runs_of_large_ -= of_large;
  ChooseBlobMoves();
  return status;
}

}  // namespace wharf
