#include "storage/memory/memory_store.h"

#include <algorithm>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

// The tables by id, and what guards them. Views let go of their tables under the mutex, so that a
// table that nobody shares can be changed in place.
struct MemoryStore::Tables {
  Mutex mutex;
  std::vector<std::shared_ptr<Table>> tables ABSL_GUARDED_BY(mutex);
};

namespace {

class ApplyVisitor final : public WriteBatch::Visitor {
 public:
  explicit ApplyVisitor(std::vector<std::shared_ptr<MemoryStore::Table>>& tables)
      : tables_(tables) {}

  void Put(TableId table, std::string_view key, std::string_view value) override {
    Writable(table).insert_or_assign(std::string(key), std::string(value));
  }

  void Delete(TableId table, std::string_view key) override {
    MemoryStore::Table& rows = Writable(table);
    const auto row = rows.find(key);
    if (row != rows.end()) rows.erase(row);
  }

  void SingleDelete(TableId table, std::string_view key) override { Delete(table, key); }

  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    MemoryStore::Table& rows = Writable(table);
    rows.erase(rows.lower_bound(begin), rows.lower_bound(end));
  }

  void NoteTime(Timestamp time) override { notes_.time = time; }

  void NoteFreed(TableId table, std::string_view begin, std::string_view end) override {
    notes_.freed.push_back({table, {std::string(begin), std::string(end)}});
  }

  const BatchNotes& notes() const { return notes_; }

 private:
  MemoryStore::Table& Writable(TableId table) {
    if (table >= tables_.size()) tables_.resize(std::size_t{table} + 1);
    std::shared_ptr<MemoryStore::Table>& rows = tables_[table];
    if (rows == nullptr) {
      rows = std::make_shared<MemoryStore::Table>();
    } else if (rows.use_count() > 1) {
      rows = std::make_shared<MemoryStore::Table>(*rows);
    }
    return *rows;
  }

  std::vector<std::shared_ptr<MemoryStore::Table>>& tables_;
  BatchNotes notes_;
};

// The tables as they were at one instant; shared by a view and its cursors.
class MemorySnapshot {
 public:
  using TablePointers = std::vector<std::shared_ptr<MemoryStore::Table>>;

  MemorySnapshot(std::shared_ptr<Mutex> mutex, TablePointers tables)
      : mutex_(std::move(mutex)), tables_(std::move(tables)) {}

  ~MemorySnapshot() {
    MutexLock lock(*mutex_);
    tables_.clear();
  }

  const MemoryStore::Table& table(TableId id) const {
    static const MemoryStore::Table kEmpty;
    return id < tables_.size() && tables_[id] != nullptr ? *tables_[id] : kEmpty;
  }

 private:
  const std::shared_ptr<Mutex> mutex_;
  TablePointers tables_;
};

class MemoryCursor final : public StoreCursor {
 public:
  MemoryCursor(std::shared_ptr<const MemorySnapshot> snapshot, TableId table, const KeyRange& range)
      : snapshot_(std::move(snapshot)),
        table_(snapshot_->table(table)),
        begin_(range.begin),
        end_(table_.lower_bound(std::max(range.begin, range.end))),
        row_(table_.lower_bound(range.begin)) {}

  bool valid() const override { return row_ != end_; }
  void Next() override { ++row_; }
  void Seek(std::string_view key) override {
    row_ = table_.lower_bound(std::max(key, std::string_view(begin_)));
    if (end_ != table_.end() && (row_ == table_.end() || row_->first > end_->first)) row_ = end_;
  }
  std::string_view key() const override { return row_->first; }
  std::string_view value() const override { return row_->second; }
  Status status() const override { return Status::Ok(); }

 private:
  const std::shared_ptr<const MemorySnapshot> snapshot_;
  const MemoryStore::Table& table_;
  const std::string begin_;
  const MemoryStore::Table::const_iterator end_;
  MemoryStore::Table::const_iterator row_;
};

class MemoryView final : public StoreView {
 public:
  explicit MemoryView(std::shared_ptr<const MemorySnapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    const MemoryStore::Table& rows = snapshot_->table(table);
    const auto row = rows.find(key);
    if (row == rows.end()) return std::optional<std::string>();
    return std::optional<std::string>(row->second);
  }

  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    return std::make_unique<MemoryCursor>(snapshot_, table, range);
  }

 private:
  const std::shared_ptr<const MemorySnapshot> snapshot_;
};

}  // namespace

MemoryStore::MemoryStore(TableSet tables)
    : table_options_(std::move(tables)), tables_(std::make_shared<Tables>()) {}
MemoryStore::~MemoryStore() = default;

std::unique_ptr<StoreView> MemoryStore::View() const {
  MutexLock lock(tables_->mutex);
  std::shared_ptr<Mutex> mutex(tables_, &tables_->mutex);
  return std::make_unique<MemoryView>(
      std::make_shared<const MemorySnapshot>(std::move(mutex), tables_->tables));
}

Result<BatchNotes> MemoryStore::Apply(std::span<const WriteBatch> batches) {
  for (const WriteBatch& batch : batches) WHARF_RETURN_IF_ERROR(batch.Check(table_options_));
  MutexLock lock(tables_->mutex);
  ApplyVisitor apply(tables_->tables);
  for (const WriteBatch& batch : batches) {
    WHARF_RETURN_IF_ERROR(batch.Visit(table_options_, apply));
  }
  return apply.notes();
}

}  // namespace wharf
