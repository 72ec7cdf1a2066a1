#include "broker/reading/counted_view.h"

#include <utility>

namespace wharf {

class CountedView::Cursor final : public StoreCursor {
 public:
  Cursor(std::unique_ptr<StoreCursor> rows, std::uint64_t& read)
      : rows_(std::move(rows)), read_(read) {
    Count();
  }

  bool valid() const override { return rows_->valid(); }
  void Next() override {
    rows_->Next();
    Count();
  }
  void Seek(std::string_view key) override {
    rows_->Seek(key);
    Count();
  }
  std::string_view key() const override { return rows_->key(); }
  std::string_view value() const override { return rows_->value(); }
  Status status() const override { return rows_->status(); }

 private:
  void Count() { read_ += rows_->valid() ? 1 : 0; }

  const std::unique_ptr<StoreCursor> rows_;
  std::uint64_t& read_;
};

CountedView::CountedView(std::unique_ptr<const StoreView> rows, std::shared_ptr<ReadCounts> counts)
    : rows_(std::move(rows)), counts_(std::move(counts)) {}

CountedView::~CountedView() { counts_->NoteRows(read_); }

Result<std::optional<std::string>> CountedView::Get(TableId table, std::string_view key) const {
  auto found = rows_->Get(table, key);
  read_ += found.ok() && found->has_value() ? 1 : 0;
  return found;
}

std::unique_ptr<StoreCursor> CountedView::Scan(TableId table, const KeyRange& range) const {
  return std::make_unique<Cursor>(rows_->Scan(table, range), read_);
}

}  // namespace wharf
