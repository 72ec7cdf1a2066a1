#include "tests/harness/recording_store.h"

namespace wharf {

// Counts each row that it comes to.
class RecordingStore::RecordingCursor final : public StoreCursor {
 public:
  RecordingCursor(std::unique_ptr<StoreCursor> cursor, std::size_t& reads)
      : cursor_(std::move(cursor)), reads_(reads) {
    Count();
  }

  bool valid() const override { return cursor_->valid(); }
  void Next() override {
    cursor_->Next();
    Count();
  }
  void Seek(std::string_view key) override {
    cursor_->Seek(key);
    Count();
  }
  std::string_view key() const override { return cursor_->key(); }
  std::string_view value() const override { return cursor_->value(); }
  Status status() const override { return cursor_->status(); }

 private:
  void Count() { reads_ += cursor_->valid() ? 1 : 0; }

  std::unique_ptr<StoreCursor> cursor_;
  std::size_t& reads_;
};

class RecordingStore::RecordingView final : public StoreView {
 public:
  RecordingView(std::unique_ptr<StoreView> view, std::map<TableId, std::size_t>& reads)
      : view_(std::move(view)), reads_(reads) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    ++reads_[table];
    return view_->Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    return std::make_unique<RecordingCursor>(view_->Scan(table, range), reads_[table]);
  }

 private:
  std::unique_ptr<StoreView> view_;
  std::map<TableId, std::size_t>& reads_;
};

std::unique_ptr<StoreView> RecordingStore::View() const {
  return std::make_unique<RecordingView>(store_.View(), reads_);
}

}  // namespace wharf
