// RocksView: the committed state at one instant, held by a snapshot of RocksDB.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <rocksdb/db.h>

#include "storage/store.h"

namespace wharf {

class RocksView final : public StoreView {
 public:
  // The database and its tables outlive the view and its cursors.
  RocksView(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables);
  ~RocksView() override;

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override;
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override;

 private:
  rocksdb::ReadOptions ReadOptions() const;

  rocksdb::DB& db_;
  const std::span<rocksdb::ColumnFamilyHandle* const> tables_;
  const rocksdb::Snapshot* const snapshot_;
};

}  // namespace wharf
