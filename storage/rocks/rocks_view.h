// RocksView: the committed state at one instant, held by a snapshot of RocksDB.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <rocksdb/db.h>

#include "storage/store.h"
#include "storage/view_ledger.h"

namespace wharf {

class RocksView final : public StoreView {
 public:
  // The database, its tables, the ledger, if there is one, and who hears of damage (RocksStore),
  // outlive the view and its cursors.
  RocksView(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables,
            ViewLedger* ledger, const std::function<void(const Status&)>& on_damage);
  ~RocksView() override;

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override;
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override;

 private:
  rocksdb::ReadOptions ReadOptions() const;

  std::optional<ViewLedger::Ticket> ticket_;  // From before the snapshot until behind it.
  rocksdb::DB& db_;
  const std::function<void(const Status&)>& on_damage_;
  const std::span<rocksdb::ColumnFamilyHandle* const> tables_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
};

}  // namespace wharf
