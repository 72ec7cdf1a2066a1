#include "broker/schema/shelf_spans.h"

#include <algorithm>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// The first number behind a covered one that this span does not cover.
SequenceNumber BehindCovered(const Span& span, SequenceNumber covered) {
  const auto exception = std::upper_bound(span.exceptions.begin(), span.exceptions.end(), covered);
  return exception == span.exceptions.end() ? span.last.Next() : *exception;
}

Status SpansContradict(const char* what) { return {ErrorCode::kInvalidOperation, what}; }
Status SpanUnreadable() { return SpansContradict("the row of a span cannot be read"); }

Status AddSpan(std::string_view key, std::string_view record, std::vector<Span>& spans) {
  const auto first = NumberOfMessageKey(key);
  if (!first) return SpanUnreadable();
  Result<Span> span = DecodeSpan(*first, record);
  if (!span.ok()) return SpanUnreadable();
  const bool is_apart = spans.empty() || spans.back().last < span->first;
  if (!is_apart) return SpansContradict("two spans cover the same messages");
  spans.push_back(*std::move(span));
  return {};
}

}  // namespace

SequenceNumber ShelfSpans::FirstShown(SequenceNumber from) const {
  auto span = std::partition_point(spans_.begin(), spans_.end(),
                                   [from](const Span& each) { return each.last < from; });
  for (; span != spans_.end() && span->Covers(from); ++span) {
    from = BehindCovered(*span, from);
    if (from <= span->last) break;
  }
  return from;
}

std::size_t ShelfSpans::bytes() const {
  std::size_t bytes = sizeof(ShelfSpans);
  for (const Span& span : spans_) {
    bytes += sizeof(Span) + span.exceptions.size() * sizeof(SequenceNumber);
  }
  return bytes;
}

bool IsContradiction(const Status& status) { return status.code() == ErrorCode::kInvalidOperation; }

Result<ShelfSpans> ReadSpans(const StoreView& view, const Shelf& shelf) {
  std::vector<Span> spans;
  const auto rows = view.Scan(IdOf(Table::kSpans), ShelfRange(shelf));
  for (; rows->valid(); rows->Next()) {
    WHARF_RETURN_IF_ERROR(AddSpan(rows->key(), rows->value(), spans));
  }
  if (rows->status().is_damage()) return SpanUnreadable();
  WHARF_RETURN_IF_ERROR(rows->status());
  return ShelfSpans(std::move(spans));
}

}  // namespace wharf
