#include "tests/harness/track_accounts.h"

#include <map>

#include <fmt/core.h>

#include "broker/core/order/partition.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

using OrderRows = std::map<std::string, Standing>;

bool HasTracks(const QueueDescription& queue, LaneKind kind) {
  return queue.enable_partitioning || (queue.enable_priority && kind == LaneKind::kMain);
}

// Those that the messages of a shelf must have.
OrderRows NeededBy(const StoreView& view, const Shelf& shelf, const QueueDescription& queue,
                   std::string& wrong) {
  OrderRows needed;
  StandingLookup standings(view, shelf, SequenceNumber());
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(shelf, SequenceNumber()));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfMessageKey(rows->key());
    const MessageFacts facts = DecodeMessage(number, rows->value())->facts;
    if (facts.track.has_value() != HasTracks(queue, shelf.kind) ||
        (queue.enable_partitioning && *facts.track != PartitionOf(number))) {
      wrong += fmt::format("{} is in another track than its own; ", number.value());
    }
    const Standing standing = standings.Find(number)->standing;
    const bool waits = standing == Standing::kFresh || standing == Standing::kReturned;
    if (waits && facts.track) needed[OrderKey(shelf, facts.ordering_key(), number)] = standing;
  }
  return needed;
}

}  // namespace

std::string FindWrongTracks(const Store& store, const QueueSnapshot& queue) {
  const SpanView view(store.View());
  const EntityId entity = queue.record.id;
  std::string wrong;
  OrderRows needed = NeededBy(view, {entity, LaneKind::kMain, queue.main.generation},
                              queue.record.description, wrong);
  needed.merge(NeededBy(view, {entity, LaneKind::kDeadLetter, queue.dead_letter.generation},
                        queue.record.description, wrong));
  const auto rows = view.Scan(IdOf(Table::kOrder), EntityRange(entity));
  for (; rows->valid(); rows->Next()) {
    const auto row = needed.find(std::string(rows->key()));
    const std::uint64_t number = MessageOfOrderKey(rows->key())->number.value();
    if (row == needed.end()) {
      wrong += fmt::format("an order row of {} has no message; ", number);
    } else if (row->second != *DecodeOrder(rows->value())) {
      wrong += fmt::format("an order row of {} tells another standing; ", number);
    }
    if (row != needed.end()) needed.erase(row);
  }
  if (!needed.empty()) wrong += fmt::format("{} messages have no order row; ", needed.size());
  return wrong;
}

}  // namespace wharf
