#include "storage/memory/memory_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/memory/garbage_dropper.h"
#include "storage/memory/memory_tables.h"

namespace wharf {
namespace {

class ApplyVisitor final : public WriteBatch::Visitor {
 public:
  explicit ApplyVisitor(MemoryTables& tables) : tables_(tables) {}

  void Put(TableId table, std::string_view key, std::string_view value) override {
    WritableTable(tables_, table).insert_or_assign(std::string(key), std::string(value));
  }

  // A store on a disk does not look.
  void PutNew(TableId table, std::string_view key, std::string_view value) override {
    const MemoryTable& rows = WritableTable(tables_, table);
    has_old_as_new_ |= rows.find(key) != rows.end();
    Put(table, key, value);
  }

  void Delete(TableId table, std::string_view key) override {
    MemoryTable& rows = WritableTable(tables_, table);
    const auto row = rows.find(key);
    if (row != rows.end()) rows.erase(row);
  }

  void SingleDelete(TableId table, std::string_view key) override { Delete(table, key); }

  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    MemoryTable& rows = WritableTable(tables_, table);
    rows.erase(rows.lower_bound(begin), rows.lower_bound(end));
  }

  void NoteTime(Timestamp /*time*/) override {}
  void NoteFreed(TableId /*table*/, std::string_view, std::string_view) override {}

  bool has_old_as_new() const { return has_old_as_new_; }

 private:
  MemoryTables& tables_;
  bool has_old_as_new_ = false;
};

}  // namespace

// What the store, its views and their cursors share: the mutex, and all tables that anybody looks
// at. Tables are let go of under the mutex, so that one that nobody shares can be changed in place.
class MemoryStore::Shared {
 public:
  Status Apply(std::span<const WriteBatch> batches, const TableSet& options) {
    MutexLock lock(mutex_);
    ApplyVisitor apply(tables_);
    for (const WriteBatch& batch : batches) WHARF_RETURN_IF_ERROR(batch.Visit(options, apply));
    MayDrop();
    if (apply.has_old_as_new()) return {ErrorCode::kGeneralError, "a row put as new was there"};
    return {};
  }

  // From now until Close the tables are those of the store as it is.
  void Open(MemoryTables& view) {
    MutexLock lock(mutex_);
    MayDrop();
    view = tables_;
    lookers_.push_back(&view);
  }

  void Close(MemoryTables& view) {
    MutexLock lock(mutex_);
    std::erase(lookers_, &view);
    view.clear();
  }

  std::optional<std::string> Get(const MemoryTables& view, TableId table, std::string_view key) {
    MutexLock lock(mutex_);
    MayDrop();
    const MemoryTable* rows = FindTable(view, table);
    if (rows == nullptr) return std::nullopt;
    const auto row = rows->find(key);
    return row == rows->end() ? std::nullopt : std::optional(row->second);
  }

  // The table as it is now, for as long as it is held.
  std::shared_ptr<const MemoryTable> Hold(const MemoryTables& view, TableId table) {
    MutexLock lock(mutex_);
    MayDrop();
    return FindTable(view, table) == nullptr ? nullptr : view[table];
  }

  void LetGo(std::shared_ptr<const MemoryTable>& table) {
    MutexLock lock(mutex_);
    table.reset();
  }

  void DropAtRandom(const TableSet& options, std::uint64_t seed) {
    MutexLock lock(mutex_);
    dropper_.emplace(options, seed);
  }

  void DropAll() {
    MutexLock lock(mutex_);
    dropper_->DropAll(lookers_);
  }

  void ForgetJudges() {
    MutexLock lock(mutex_);
    if (dropper_) dropper_->ForgetJudges();
  }

 private:
  void MayDrop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (dropper_) dropper_->MayDrop(lookers_);
  }

  Mutex mutex_;
  MemoryTables tables_ ABSL_GUARDED_BY(mutex_);
  // The store's own first, then those of open views.
  std::vector<MemoryTables*> lookers_ ABSL_GUARDED_BY(mutex_){&tables_};
  std::optional<GarbageDropper> dropper_ ABSL_GUARDED_BY(mutex_);
};

class MemoryStore::Cursor final : public StoreCursor {
 public:
  Cursor(std::shared_ptr<Shared> shared, std::shared_ptr<const MemoryTable> table,
         const KeyRange& range)
      : shared_(std::move(shared)),
        held_(std::move(table)),
        begin_(range.begin),
        end_(rows().lower_bound(std::max(range.begin, range.end))),
        row_(rows().lower_bound(range.begin)) {}
  ~Cursor() override { shared_->LetGo(held_); }

  bool valid() const override { return row_ != end_; }
  void Next() override { ++row_; }
  void Seek(std::string_view key) override {
    row_ = rows().lower_bound(std::max(key, std::string_view(begin_)));
    if (end_ != rows().end() && (row_ == rows().end() || row_->first > end_->first)) row_ = end_;
  }
  std::string_view key() const override { return row_->first; }
  std::string_view value() const override { return row_->second; }
  Status status() const override { return Status::Ok(); }

 private:
  const MemoryTable& rows() const {
    static const MemoryTable kEmpty;
    return held_ != nullptr ? *held_ : kEmpty;
  }

  const std::shared_ptr<Shared> shared_;
  std::shared_ptr<const MemoryTable> held_;
  const std::string begin_;
  const MemoryTable::const_iterator end_;
  MemoryTable::const_iterator row_;
};

class MemoryStore::OpenView final : public StoreView {
 public:
  OpenView(std::shared_ptr<Shared> shared, ViewLedger* views) : shared_(std::move(shared)) {
    if (views != nullptr) ticket_.emplace(*views);  // Before the rows are those of now.
    shared_->Open(tables_);
  }
  ~OpenView() override { shared_->Close(tables_); }

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    return shared_->Get(tables_, table, key);
  }

  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    return std::make_unique<Cursor>(shared_, shared_->Hold(tables_, table), range);
  }

 private:
  std::optional<ViewLedger::Ticket> ticket_;
  const std::shared_ptr<Shared> shared_;
  MemoryTables tables_;  // Guarded by the mutex of what is shared.
};

MemoryStore::MemoryStore(TableSet tables, ViewLedger* views)
    : table_options_(std::move(tables)), views_(views), shared_(std::make_shared<Shared>()) {}
MemoryStore::~MemoryStore() = default;

std::unique_ptr<StoreView> MemoryStore::View() const {
  return std::make_unique<OpenView>(shared_, views_);
}

Status MemoryStore::Apply(std::span<const WriteBatch> batches) {
  for (const WriteBatch& batch : batches) WHARF_RETURN_IF_ERROR(batch.Check(table_options_));
  return shared_->Apply(batches, table_options_);
}

void MemoryStore::DropGarbageAtRandom(std::uint64_t seed) {
  shared_->DropAtRandom(table_options_, seed);
}

void MemoryStore::DropGarbage() { shared_->DropAll(); }

void MemoryStore::BeginAnew(const std::function<void()>& meanwhile) {
  meanwhile();
  shared_->ForgetJudges();
}

}  // namespace wharf
