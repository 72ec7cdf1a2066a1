#include "broker/schema/span_view.h"

#include <utility>

#include "broker/schema/bytes.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Keys of both begin with the shelf and end with the number.
bool HidesRows(TableId table) {
  return table == IdOf(Table::kMessages) || table == IdOf(Table::kOrder);
}

constexpr std::size_t kKeyBytesMin = kShelfKeyBytes + kNumberKeyBytes;

std::string_view ShelfPart(std::string_view key) { return key.substr(0, kShelfKeyBytes); }

// The key of a row; what else is looked for may end anywhere.
bool IsWhole(TableId table, std::string_view key) {
  return table == IdOf(Table::kMessages) ? NumberOfMessageKey(key).has_value()
                                         : MessageOfOrderKey(key).has_value();
}

SequenceNumber NumberAtEnd(std::string_view key) {
  return SequenceNumber(ByteReader(key.substr(key.size() - kNumberKeyBytes)).Fixed64());
}

std::string WithNumber(std::string_view key, SequenceNumber number) {
  std::string other(key.substr(0, key.size() - kNumberKeyBytes));
  ByteWriter(other).Fixed64(number.value());
  return other;
}

}  // namespace

// Stands on no covered row, and steps over none: it seeks behind them, so that damage between them
// is never met.
class SpanView::Cursor final : public StoreCursor {
 public:
  Cursor(const SpanView& view, TableId table, KeyRange range) : view_(view), table_(table) {
    range.begin = Shown(range.begin);
    rows_ = view_.rows_->Scan(table_, range);
    Settle();
  }

  bool valid() const override { return failed_.ok() && rows_->valid(); }
  std::string_view key() const override { return rows_->key(); }
  std::string_view value() const override { return rows_->value(); }
  Status status() const override { return failed_.ok() ? rows_->status() : failed_; }

  void Next() override {
    if (spans_ == nullptr || !StepOver()) rows_->Next();
    Settle();
  }

  void Seek(std::string_view key) override {
    failed_ = {};
    rows_->Seek(Shown(std::string(key)));
    Settle();
  }

 private:
  // From now on the spans are those of this key's shelf. Whether there are any.
  bool Enter(std::string_view key) {
    if (has_shelf_ && shelf_ == ShelfPart(key)) return spans_ != nullptr;
    Result<Spans> spans = view_.SpansAt(key);
    has_shelf_ = spans.ok();
    shelf_ = ShelfPart(key);
    spans_ = spans.ok() ? *std::move(spans) : nullptr;
    if (!spans.ok()) failed_ = spans.status();
    return spans_ != nullptr;
  }

  // The same of the row where it stands.
  bool EnterRow() {
    if (rows_->key().size() >= kKeyBytesMin) return Enter(rows_->key());
    has_shelf_ = false;
    spans_ = nullptr;
    return false;
  }

  // The key itself, or of the same order the first behind it that is not covered.
  std::string Shown(std::string key) {
    const bool may_be_covered = key.size() >= kKeyBytesMin && Enter(key) && IsWhole(table_, key);
    return may_be_covered ? WithNumber(key, spans_->FirstShown(NumberAtEnd(key))) : key;
  }

  // Whether what comes behind the row is covered, and the cursor stands behind it.
  bool StepOver() {
    const SequenceNumber next = NumberAtEnd(rows_->key()).Next();
    const SequenceNumber shown = spans_->FirstShown(next);
    if (shown == next) return false;
    rows_->Seek(WithNumber(rows_->key(), shown));
    return true;
  }

  // Moves on from what is covered.
  void Settle() {
    while (valid() && EnterRow()) {
      const SequenceNumber number = NumberAtEnd(rows_->key());
      const SequenceNumber shown = spans_->FirstShown(number);
      if (shown == number) return;
      rows_->Seek(WithNumber(rows_->key(), shown));
    }
  }

  const SpanView& view_;
  const TableId table_;
  std::unique_ptr<StoreCursor> rows_;
  // Of the shelf where it stands, or was looked for.
  std::string shelf_;
  bool has_shelf_ = false;
  Spans spans_;
  Status failed_;
};

Result<std::optional<std::string>> SpanView::Get(TableId table, std::string_view key) const {
  if (HidesRows(table) && IsWhole(table, key)) {
    const Result<Spans> spans = SpansAt(key);
    if (!spans.ok()) return spans.status();
    const bool is_covered = *spans != nullptr && (*spans)->Covers(NumberAtEnd(key));
    if (is_covered) return std::optional<std::string>();
  }
  return rows_->Get(table, key);
}

std::unique_ptr<StoreCursor> SpanView::Scan(TableId table, const KeyRange& range) const {
  if (!HidesRows(table)) return rows_->Scan(table, range);
  return std::make_unique<Cursor>(*this, table, range);
}

const StoreView& SpanView::RowsBelow(const StoreView& view) {
  const auto* const spans = dynamic_cast<const SpanView*>(&view);
  return spans == nullptr ? view : *spans->rows_;
}

Result<SpanView::Spans> SpanView::SpansAt(std::string_view key) const {
  const auto kept = kept_.find(ShelfPart(key));
  if (kept != kept_.end()) return kept->second;
  // A key that is damaged is its reader's to tell of, and no dead letter expires.
  const auto shelf = ShelfOfKey(key);
  if (!shelf || shelf->kind != LaneKind::kMain) return Spans();
  Result<ShelfSpans> read = ReadSpans(*rows_, *shelf);
  if (!read.ok()) return read.status();
  Spans spans = read->empty() ? nullptr : std::make_shared<const ShelfSpans>(*std::move(read));
  Keep(ShelfPart(key), spans);
  return spans;
}

void SpanView::Keep(std::string_view shelf, const Spans& spans) const {
  const std::size_t bytes = sizeof(std::string) + sizeof(Spans) + (spans ? spans->bytes() : 0);
  if (kept_bytes_ + bytes > kKeptBytesMax) {
    kept_.clear();
    kept_bytes_ = 0;
  }
  kept_bytes_ += bytes;
  kept_.emplace(shelf, spans);
}

}  // namespace wharf
