#include "storage/rocks/table_files.h"

#include <algorithm>

#include <rocksdb/listener.h>

#include "storage/rocks/range_deletions.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

std::uint64_t NumberOf(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table,
                       const std::string& property) {
  std::uint64_t value = 0;
  return db.GetIntProperty(&table, property, &value) ? value : 0;
}

}  // namespace

TableFiles::TableFiles(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table)
    : db_(db), table_(table) {
  db_.GetColumnFamilyMetaData(&table_, &files_);
  base_level_ =
      std::max(1, static_cast<int>(NumberOf(db_, table_, rocksdb::DB::Properties::kBaseLevel)));
  for (const rocksdb::LevelMetaData& level : files_.levels) {
    if (!level.files.empty()) deepest_level_ = level.level;
  }
}

// What is above the base level was left there when the table was larger.
int TableFiles::LevelBelow(int level) const { return std::max(level + 1, base_level_); }

std::string TableFiles::PathOf(const File& file) {
  return file.directory + "/" + file.relative_filename;
}

KeyRange TableFiles::RangeOf(const File& file) {
  return {file.smallestkey, file.largestkey + '\0'};
}

bool TableFiles::IsInside(const File& file, const KeyRange& range) {
  return range.begin <= file.smallestkey && file.largestkey < range.end;
}

bool TableFiles::Overlaps(const File& file, const KeyRange& range) {
  return file.smallestkey < range.end && range.begin <= file.largestkey;
}

std::uint64_t TableFiles::BytesOf(const KeyRange& range) const {
  rocksdb::SizeApproximationOptions options;
  options.include_files = true;
  const rocksdb::Range rows(ToSlice(range.begin), ToSlice(range.end));
  std::uint64_t bytes = 0;
  db_.GetApproximateSizes(options, &table_, &rows, 1, &bytes).PermitUncheckedError();
  return bytes;
}

double TableFiles::weight() const {
  if (files_.size == 0) return 1;
  return static_cast<double>(files_.size + files_.blob_file_size) /
         static_cast<double>(files_.size);
}

// RocksDB's own count of deletions is known of few files; that of the file itself is read. A file
// that is not there any more was compacted meanwhile: what it had may stand in another one.
bool TableFiles::HasDeletions(const File& file) const {
  const auto properties = PropertiesOf(file);
  return properties == nullptr || properties->num_deletions > 0;
}

std::vector<KeyRange> TableFiles::RangeDeletionsOf(const File& file) const {
  const auto properties = PropertiesOf(file);
  return properties == nullptr ? std::vector<KeyRange>() : wharf::RangeDeletionsOf(*properties);
}

std::shared_ptr<const rocksdb::TableProperties> TableFiles::PropertiesOf(const File& file) const {
  const rocksdb::Range place(ToSlice(file.smallestkey), ToSlice(file.smallestkey));
  rocksdb::TablePropertiesCollection found;
  db_.GetPropertiesOfTablesInRange(&table_, &place, 1, &found).PermitUncheckedError();
  const auto properties = found.find(PathOf(file));
  return properties == found.end() ? nullptr : properties->second;
}

// Memory is flushed in the order of the writes. A table to which nothing more is written never has
// a file with a higher number, but nothing in memory either.
bool TableFiles::HasFlushed(std::uint64_t number) const {
  using Properties = rocksdb::DB::Properties;
  const bool has_rows = NumberOf(db_, table_, Properties::kNumEntriesActiveMemTable) > 0 ||
                        NumberOf(db_, table_, Properties::kNumEntriesImmMemTables) > 0;
  if (!has_rows) return true;
  for (const rocksdb::LevelMetaData& level : files_.levels) {
    for (const File& file : level.files) {
      if (file.largest_seqno >= number) return true;
    }
  }
  return false;
}

rocksdb::Status TableFiles::Compact(const Piece& piece, rocksdb::CompactionJobInfo& job) const {
  const rocksdb::Options now = db_.GetOptions(&table_);
  rocksdb::CompactionOptions options;
  options.compression = CompressionOf(now, piece.into_level);
  options.output_file_size_limit = now.target_file_size_base;
  options.max_subcompactions = 1;
  return db_.CompactFiles(options, &table_, piece.files, piece.into_level,
                          /*output_path_id=*/-1, /*output_file_names=*/nullptr, &job);
}

// Told to choose by itself, RocksDB 7.8 asserts that no file is above the base level, which may
// have become deeper meanwhile; told nothing, it takes Snappy.
rocksdb::CompressionType TableFiles::CompressionOf(const rocksdb::Options& options,
                                                   int level) const {
  const auto& by_level = options.compression_per_level;
  const int depth = level == 0 ? 0 : std::max(0, level - base_level_ + 1);
  return by_level[std::min<std::size_t>(depth, by_level.size() - 1)];
}

}  // namespace wharf
