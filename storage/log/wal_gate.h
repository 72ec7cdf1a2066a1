// WalGate: lets RocksDB read its write-ahead log only after we have checked it.
//
// RocksDB calls it while it opens a folder: the folder is locked, the MANIFEST is read and says
// which logs are still needed, and no log has been read. (Of the others one may look torn, if its
// deletion was not synced.) The gate then cuts a torn tail off, or sees to it that the start fails.
// Used by RocksStore for one start.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>
#include <rocksdb/wal_filter.h>

#include "storage/base/status.h"
#include "storage/log/group_mark.h"

namespace wharf {

class WalGate final : public rocksdb::WalFilter {
 public:
  WalGate(std::shared_ptr<rocksdb::FileSystem> file_system, std::string folder, GroupMark mark);

  // Why the start must fail, if it must.
  const Status& status() const { return status_; }

  const char* Name() const override { return "WalGate"; }
  void ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& first_logs,
                                const std::map<std::string, std::uint32_t>& tables) override;
  WalProcessingOption LogRecordFound(unsigned long long log, const std::string& file,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* batch_changed) override;

 private:
  Status Check(std::uint64_t first_log);

  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  const std::string folder_;
  const GroupMark mark_;
  Status status_;
};

}  // namespace wharf
