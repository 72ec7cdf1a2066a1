#include "storage/rocks/rocks_options.h"

#include <algorithm>
#include <utility>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include "storage/rocks/range_deletions.h"

namespace wharf {
namespace {

// A file is compacted when half of any 4096 neighbouring rows are deletions.
constexpr std::size_t kDeletionWindow = 4096;
constexpr std::size_t kDeletionsInWindow = 2048;

// A disk that is nearly full has no room for a flush, so the log and what it holds grow for a
// while.
constexpr std::size_t kTimesWhenSparing = 3;

// Each level below the first in use may be ten times as large as the one above.
constexpr std::uint64_t kFilesOfBaseLevel = 4;

bool HasLz4() {
  const auto supported = rocksdb::GetSupportedCompressions();
  return std::find(supported.begin(), supported.end(), rocksdb::kLZ4Compression) != supported.end();
}

// Index and filter blocks live in the cache, so that memory does not grow with the backlog.
rocksdb::BlockBasedTableOptions MakeBlockOptions(const TableOptions& table,
                                                 const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions options;
  options.block_cache = cache;
  options.cache_index_and_filter_blocks = true;
  options.pin_l0_filter_and_index_blocks_in_cache = true;
  // Neighbours share most of their keys: an index in memory takes a fifth of what it takes with
  // whole keys.
  options.index_block_restart_interval = 16;
  options.block_size = 16 << 10;
  options.format_version = 5;
  // A queue is read in order, not searched.
  if (!table.is_queue || table.is_looked_up)
    options.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  return options;
}

void KeepValuesInBlobFiles(rocksdb::ColumnFamilyOptions& options) {
  options.enable_blob_files = true;
  options.min_blob_size = 1 << 10;
  options.blob_file_size = kBlobFileBytesMax;
  options.enable_blob_garbage_collection = true;
  // Nothing, until somebody says what is worth it (rocks_space.h).
  options.blob_garbage_collection_age_cutoff = 0;
  options.blob_garbage_collection_force_threshold = 0.5;
}

// Where rows that lie deep must be found by age, files are rewritten at least so often.
constexpr std::uint64_t kGarbageRounds = 12 * 60 * 60;

// RocksDB by itself rewrites every file that is 30 days old, and with a filter also the deepest.
void RewriteForNoAge(rocksdb::ColumnFamilyOptions& options) {
  options.ttl = 0;
  options.periodic_compaction_seconds = 0;
}

void DropGarbage(const TableOptions& table, const std::shared_ptr<DroppedRows>& dropped_rows,
                 rocksdb::ColumnFamilyOptions& options) {
  options.compaction_filter_factory = MakeGarbageFilters(table, dropped_rows);
  if (table.garbage->by_age) options.periodic_compaction_seconds = kGarbageRounds;
}

rocksdb::ColumnFamilyOptions MakeTableOptions(const TableOptions& table,
                                              const RocksStoreOptions& store,
                                              const std::shared_ptr<rocksdb::Cache>& cache,
                                              const NeighbourHints& hints) {
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(MakeBlockOptions(table, cache)));
  options.write_buffer_size = WriteBufferBytes(store);
  options.arena_block_size = 256 << 10;
  options.target_file_size_base = store.file_bytes_max;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_bytes_for_level_base = kFilesOfBaseLevel * store.file_bytes_max;
  const auto deep = HasLz4() ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression, deep};
  options.table_properties_collector_factories.push_back(MakeRangeDeletionCollectors());
  if (table.is_queue) {
    options.table_properties_collector_factories.push_back(
        rocksdb::NewCompactOnDeletionCollectorFactory(kDeletionWindow, kDeletionsInWindow));
  }
  if (table.neighbours_prefix > 0) {
    options.memtable_insert_with_hint_prefix_extractor = hints.For(table);
  }
  if (table.in_blob_files) KeepValuesInBlobFiles(options);
  RewriteForNoAge(options);
  return options;
}

}  // namespace

std::size_t WriteBufferBytes(const RocksStoreOptions& options) {
  return options.write_buffer_bytes * (options.spares_disk ? kTimesWhenSparing : 1);
}

rocksdb::DBOptions MakeDbOptions(const RocksStoreOptions& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  // Strict: what the WalGate let pass must be readable to the end.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  db.track_and_verify_wals_in_manifest = !options.position;
  // Without a log of its own, what is on disk is the last flush: of all tables at once, and not
  // begun by the end of a process, which leaves what a crash would leave.
  db.atomic_flush = options.position.has_value();
  db.avoid_flush_during_shutdown = options.position.has_value();
  db.paranoid_checks = true;
  db.recycle_log_file_num = 0;
  // One budget each for memory, log and files.
  db.db_write_buffer_size = WriteBufferBytes(options);
  db.max_total_wal_size = options.wal_bytes_max * (options.spares_disk ? kTimesWhenSparing : 1);
  db.avoid_flush_during_recovery = options.spares_disk;
  db.max_open_files = 512;
  db.max_manifest_file_size = 64 << 20;
  db.manifest_preallocation_size = 256 << 10;
  db.max_background_jobs = 2;
  db.bytes_per_sync = 1 << 20;
  // The info log is small and says only what is worth keeping.
  db.keep_log_file_num = 4;
  db.max_log_file_size = 4 << 20;
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  return db;
}

std::vector<rocksdb::ColumnFamilyDescriptor> MakeColumnFamilies(
    const RocksStoreOptions& options, const std::shared_ptr<DroppedRows>& dropped_rows,
    const NeighbourHints& hints) {
  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName,
                        MakeTableOptions({}, options, cache, hints));
  for (const TableOptions& table : options.tables) {
    families.emplace_back(table.name, MakeTableOptions(table, options, cache, hints));
    if (table.garbage) DropGarbage(table, dropped_rows, families.back().options);
  }
  return families;
}

}  // namespace wharf
