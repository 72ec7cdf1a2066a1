#include "storage/rocks/rocks_view.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

std::string_view ToView(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

Status Told(Status status, const std::function<void(const Status&)>& on_damage) {
  if (status.is_damage() && on_damage) on_damage(status);
  return status;
}

// Bounded on both sides, so that it never walks over the deletions of its neighbours.
class RocksCursor final : public StoreCursor {
 public:
  RocksCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* table, rocksdb::ReadOptions options,
              const KeyRange& range, const std::function<void(const Status&)>& on_damage)
      : db_(db),
        table_(table),
        on_damage_(on_damage),
        options_(std::move(options)),
        begin_(range.begin),
        end_(std::max(range.begin, range.end)) {
    options_.iterate_lower_bound = &begin_slice_;
    options_.iterate_upper_bound = &end_slice_;
    options_.total_order_seek = true;
    options_.fill_cache = false;
    rows_.reset(db_.NewIterator(options_, table_));
    rows_->Seek(begin_slice_);
  }

  bool valid() const override { return rows_->Valid(); }
  void Next() override { rows_->Next(); }
  // An iterator that has met damage may tell of it again where there is none (RocksDB 7.8).
  void Seek(std::string_view key) override {
    if (!rows_->status().ok()) rows_.reset(db_.NewIterator(options_, table_));
    rows_->Seek(ToSlice(key));
  }
  std::string_view key() const override { return ToView(rows_->key()); }
  std::string_view value() const override { return ToView(rows_->value()); }
  Status status() const override {
    return Told(FromRocksRead(rows_->status(), "cannot read rows"), on_damage_);
  }

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const table_;
  const std::function<void(const Status&)>& on_damage_;
  rocksdb::ReadOptions options_;
  // The iterator looks at the bounds as long as it lives.
  const std::string begin_;
  const std::string end_;
  const rocksdb::Slice begin_slice_ = ToSlice(begin_);
  const rocksdb::Slice end_slice_ = ToSlice(end_);
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace

RocksView::RocksView(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables,
                     ViewLedger* ledger, const std::function<void(const Status&)>& on_damage)
    : db_(db), on_damage_(on_damage), tables_(tables) {
  if (ledger != nullptr) ticket_.emplace(*ledger);
  snapshot_ = db_.GetSnapshot();
}

RocksView::~RocksView() { db_.ReleaseSnapshot(snapshot_); }

Result<std::optional<std::string>> RocksView::Get(TableId table, std::string_view key) const {
  assert(table < tables_.size());
  std::string value;
  const rocksdb::Status status = db_.Get(ReadOptions(), tables_[table], ToSlice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return Told(FromRocksRead(status, "cannot read a row"), on_damage_);
  return std::optional<std::string>(std::move(value));
}

std::unique_ptr<StoreCursor> RocksView::Scan(TableId table, const KeyRange& range) const {
  assert(table < tables_.size());
  return std::make_unique<RocksCursor>(db_, tables_[table], ReadOptions(), range, on_damage_);
}

rocksdb::ReadOptions RocksView::ReadOptions() const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  return options;
}

}  // namespace wharf
