// TableFiles: the files of one table at an instant, level by level, and what is known of them.
//
// A look for whoever wants a few of them compacted; they may be gone by then. Made and used on one
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include "storage/rocks/damaged_files.h"
#include "storage/table.h"

namespace wharf {

// Files of a table that are to be compacted together, by their names.
struct Piece {
  TableId table = 0;
  std::vector<std::string> files;
  int into_level = 0;
  // What may be left of them.
  std::uint64_t live_bytes = 0;
};

class TableFiles {
 public:
  using File = rocksdb::SstFileMetaData;

  // Both outlive it.
  TableFiles(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table);

  const std::vector<rocksdb::LevelMetaData>& levels() const { return files_.levels; }
  std::uint64_t bytes() const { return files_.size; }
  // The first one below level 0 that is in use: RocksDB fills them from the deepest on.
  int base_level() const { return base_level_; }
  int deepest_level() const { return deepest_level_; }
  int LevelBelow(int level) const;

  static std::string PathOf(const File& file);
  // What a file may hold.
  static KeyRange RangeOf(const File& file);
  static bool Overlaps(const File& file, const KeyRange& range);
  static bool IsInside(const File& file, const KeyRange& range);
  // As far as blocks tell, in files of all levels. Without the large values of these rows.
  std::uint64_t BytesOf(const KeyRange& range) const;
  // How many bytes of all there are for one of these: more than one, where large values are.
  double weight() const;

  // Whether the file has deletions, or may have: of one that is gone by now it is not known.
  bool HasDeletions(const File& file) const;
  // Which ranges its range deletions cover, about.
  std::vector<KeyRange> RangeDeletionsOf(const File& file) const;
  // Whether all that was written with numbers up to this one is in files.
  bool HasFlushed(std::uint64_t number) const;

  // Compresses as RocksDB would. What was written is named in `job`.
  rocksdb::Status Compact(const Piece& piece, rocksdb::CompactionJobInfo& job) const;

 private:
  // Null of a file that is gone by now.
  std::shared_ptr<const rocksdb::TableProperties> PropertiesOf(const File& file) const;
  rocksdb::CompressionType CompressionOf(const rocksdb::Options& options, int level) const;

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle& table_;
  rocksdb::ColumnFamilyMetaData files_;
  int base_level_ = 1;
  int deepest_level_ = 0;
};

// The tables of a store, for whoever looks at their files.
struct StoreTables {
  rocksdb::DB& db;
  const TableSet& options;
  std::span<rocksdb::ColumnFamilyHandle* const> handles;
  DamagedFiles& damaged_files;

  TableFiles FilesOf(TableId table) const { return {db, *handles[table]}; }
  bool IsAtRest(TableId table) const { return damaged_files.IsAtRest(handles[table]->GetID()); }
};

}  // namespace wharf
