// ShelfSpans: which messages of a shelf were counted out, as its rows in `spans` say.
//
// Read by the loader, by a check, and by a SpanView for its readers; a value, used on the thread of
// the one that reads.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "broker/core/changes/shelf.h"
#include "broker/core/changes/span.h"
#include "storage/base/status.h"
#include "storage/store.h"

namespace wharf {

class ShelfSpans {
 public:
  ShelfSpans() = default;
  // Ascending, and apart from each other.
  explicit ShelfSpans(std::vector<Span> spans) : spans_(std::move(spans)) {}

  // The first number at or behind `from` that none of them covers.
  SequenceNumber FirstShown(SequenceNumber from) const;
  bool Covers(SequenceNumber number) const { return FirstShown(number) != number; }

  const std::vector<Span>& all() const { return spans_; }
  bool empty() const { return spans_.empty(); }
  // About how much memory they take.
  std::size_t bytes() const;

 private:
  std::vector<Span> spans_;
};

// Rows that cannot be read, or that overlap, are a contradiction (ErrorCode::kInvalidOperation) and
// no damage: none of the messages is to be given up for it.
Result<ShelfSpans> ReadSpans(const StoreView& view, const Shelf& shelf);
bool IsContradiction(const Status& status);

}  // namespace wharf
