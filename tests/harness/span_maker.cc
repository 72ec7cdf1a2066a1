#include "tests/harness/span_maker.h"

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {

WriteBatch CountOut(const Store& store, const Shelf& shelf, const Span& span) {
  const SpanView view(store.View());
  MessagesExpired expired{shelf, span.first, span.last, 0, 0, span, {}};
  const auto rows =
      view.Scan(IdOf(Table::kMessages), MessageRange(shelf, span.first, span.last.Next()));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfMessageKey(rows->key());
    if (!span.Covers(number)) continue;
    ++expired.count;
    expired.bytes += DecodeMessage(number, rows->value())->facts.size;
  }
  LaneCounters counters =
      *DecodeCounters(**view.Get(IdOf(Table::kCounters), CountersKey(shelf.lane())));
  counters.fresh -= expired.count;
  counters.bytes -= expired.bytes;
  Changes changes;
  changes.emplace_back(expired);
  changes.emplace_back(CountersChanged{shelf.lane(), counters});
  WriteBatch batch;
  Encode(changes, batch);
  return batch;
}

}  // namespace wharf
