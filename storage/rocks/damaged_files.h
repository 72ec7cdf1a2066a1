// DamagedFiles: what a compaction meets that it cannot read.
//
// RocksDB takes a damaged file for the end of all writing: it stops, and picks the same file at the
// next start. But nothing is lost by not compacting. So the error is taken back, and the table that
// has the file is not compacted by itself any more until the next start, or RocksDB would read the
// file once a second. Its rows are served as before, but for those in the damage. Part of a
// RocksStore; called on RocksDB's threads, and works on one of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class DamagedFiles final : public rocksdb::EventListener {
 public:
  // Hears of each file; may be empty.
  using Tell = std::function<void(const Status&)>;

  explicit DamagedFiles(Tell tell) : tell_(std::move(tell)) {}
  ~DamagedFiles() override { Detach(); }

  // The database is open; it outlives Detach.
  void Attach(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables);
  // Before the database is closed.
  void Detach();

  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;

  // Whether that is how a compaction of the table has ended; then it counts as met. For those of
  // which RocksDB does not tell its listeners.
  bool Meet(std::uint32_t table_id, const rocksdb::Status& status);

  // Whether a compaction of the table has met damage. Known when that compaction is over.
  bool IsAtRest(std::uint32_t table_id) const;

  // As "messages/000123.sst"; each once. Their tables are at rest.
  std::vector<std::string> names() const;

 private:
  // The id of a table, and the sentence that names a file of it.
  using Met = std::pair<std::uint32_t, std::string>;

  void Run(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables);
  // Nothing when it is time to end.
  std::set<Met> WaitForMore();
  void Rest(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table, const std::string& sentence);

  const Tell tell_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::set<Met> met_ ABSL_GUARDED_BY(mutex_);
  std::set<std::uint32_t> resting_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> names_ ABSL_GUARDED_BY(mutex_);
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  // Of Attach and Detach.
  std::thread thread_;
};

}  // namespace wharf
