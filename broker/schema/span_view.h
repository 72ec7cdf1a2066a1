// SpanView: a view of the store without the messages that were counted out.
//
// Readers and the start look through one, so that from the commit of a span on its messages are in
// no window, page, list or check, whether a compaction has dropped their rows or not. Hidden are
// the rows of `messages` and `order`: one that was never delivered has no others.
//
// What is covered is read from the same view, shelf by shelf where it is looked at. Where it cannot
// be read, nothing of that shelf can. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/schema/shelf_spans.h"
#include "storage/store.h"

namespace wharf {

class SpanView final : public StoreView {
 public:
  explicit SpanView(std::unique_ptr<const StoreView> rows) : rows_(std::move(rows)) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override;
  // The rows themselves, for those who remove all of a shelf, whatever its spans say.
  static const StoreView& RowsBelow(const StoreView& view);

  // The view outlives its cursors.
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override;

 private:
  class Cursor;
  // Null: none.
  using Spans = std::shared_ptr<const ShelfSpans>;

  // What is kept of other shelves; beyond that it is read again.
  static constexpr std::size_t kKeptBytesMax = 1024 * 1024;

  // Of the shelf with which the key of a row begins.
  Result<Spans> SpansAt(std::string_view key) const;
  void Keep(std::string_view shelf, const Spans& spans) const;

  const std::unique_ptr<const StoreView> rows_;
  // By the beginnings of keys.
  mutable std::map<std::string, Spans, std::less<>> kept_;
  mutable std::size_t kept_bytes_ = 0;
};

}  // namespace wharf
