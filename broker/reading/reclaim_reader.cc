#include "broker/reading/reclaim_reader.h"

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"

namespace wharf {

namespace {

// Rows of the shelf on which the first row of the range stands.
Result<ShelfReclaimStep> ReadFirstShelf(const StoreView& view, const KeyRange& range,
                                        std::size_t messages_max) {
  ShelfReclaimStep step;
  const auto rows = view.Scan(IdOf(Table::kMessages), range);
  for (std::size_t count = 0; rows->valid() && count < messages_max; rows->Next(), ++count) {
    const auto shelf = ShelfOfMessageKey(rows->key());
    const auto number = NumberOfMessageKey(rows->key());
    if (!shelf || !number) return DamagedKey();
    if (!step) step = ShelfReclaimed{*shelf, SequenceNumber(), {}};
    if (step->shelf != *shelf) break;
    const Result<StoredMessage> message = DecodeMessage(*number, rows->value());
    if (!message.ok()) return message.status();
    step->through = *number;
    if (message->facts.body_ref) step->bodies.push_back(*message->facts.body_ref);
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return step;
}

}  // namespace

Result<ShelfReclaimStep> ReadEntityReclaim(const StoreView& view, EntityId entity,
                                           std::size_t messages_max) {
  return ReadFirstShelf(view, EntityRange(entity), messages_max);
}

Result<ShelfReclaimStep> ReadShelfReclaim(const StoreView& view, const Shelf& shelf,
                                          std::size_t messages_max) {
  return ReadFirstShelf(view, MessageRange(shelf, SequenceNumber()), messages_max);
}

Result<ScheduledReclaimStep> ReadScheduledReclaim(const StoreView& view, EntityId entity,
                                                  SequenceNumber floor, std::size_t messages_max) {
  ScheduledReclaimed step{entity, {}, {}};
  MessageCursor rows(view, IdOf(Table::kScheduled), ScheduledRange(entity, SequenceNumber(), floor),
                     Bodies::kLeave);
  for (; rows.valid() && step.messages.size() < messages_max; rows.Next()) {
    const Result<MessagePtr> message = rows.message();
    if (!message.ok()) return message.status();
    const StoredMessage& scheduled = **message;
    step.messages.emplace_back(scheduled.number, *scheduled.message.scheduled_enqueue_time);
    if (scheduled.facts.body_ref) step.bodies.push_back(*scheduled.facts.body_ref);
  }
  WHARF_RETURN_IF_ERROR(rows.status());
  if (step.messages.empty()) return ScheduledReclaimStep();
  return ScheduledReclaimStep(std::move(step));
}

}  // namespace wharf
