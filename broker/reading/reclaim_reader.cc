#include "broker/reading/reclaim_reader.h"

#include "broker/reading/careful_reader.h"
#include "broker/reading/scheduled_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {

namespace {

// Rows of the shelf on which the cursor stands, up to where it cannot go on.
Result<ShelfReclaimStep> ReadStep(StoreCursor& rows, std::size_t messages_max) {
  ShelfReclaimStep step;
  for (std::size_t count = 0; rows.valid() && count < messages_max; rows.Next(), ++count) {
    const auto shelf = ShelfOfMessageKey(rows.key());
    const auto number = NumberOfMessageKey(rows.key());
    if (!shelf || !number) return DamagedKey();
    if (!step) step = ShelfReclaimed{*shelf, SequenceNumber(), {}};
    if (step->shelf != *shelf) break;
    // A body of its own that an unreadable message had is not known, and stays.
    const Result<StoredMessage> message = DecodeMessage(*number, rows.value());
    step->through = *number;
    if (message.ok() && message->facts.body_ref) step->bodies.push_back(*message->facts.body_ref);
  }
  // What was read before the damage goes first.
  if (step && HasMetDamage(rows)) return step;
  WHARF_RETURN_IF_ERROR(rows.status());
  return step;
}

// Behind what cannot be read, which goes with the rows that follow it or with the end of the shelf.
Result<ShelfReclaimStep> ReadStepCarefully(const StoreView& view, const Shelf& shelf,
                                           std::size_t messages_max) {
  const auto rows = view.Scan(IdOf(Table::kMessages), ShelfRange(shelf));
  const auto key_of = [&shelf](SequenceNumber number) { return MessageKey(shelf, number); };
  SequenceNumber next;
  while (HasMetDamage(*rows) && next < kNumberEnd) {
    next = PassDamage(*rows, key_of, next, kNumberEnd);
  }
  if (!rows->valid()) return ShelfReclaimStep();
  return ReadStep(*rows, messages_max);
}

// Shelf by shelf: it is not known which of them the damage is on.
Result<ShelfReclaimStep> ReadEntityCarefully(const StoreView& view, EntityId entity,
                                             std::size_t messages_max) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    for (std::uint8_t generation = 0; generation < kShelfGenerations; ++generation) {
      Result<ShelfReclaimStep> step =
          ReadStepCarefully(view, {entity, kind, generation}, messages_max);
      if (!step.ok() || *step) return step;
    }
  }
  return ShelfReclaimStep();
}

}  // namespace

Result<ShelfReclaimStep> ReadEntityReclaim(const StoreView& view, EntityId entity,
                                           std::size_t messages_max) {
  const auto rows = view.Scan(IdOf(Table::kMessages), EntityRange(entity));
  Result<ShelfReclaimStep> step = ReadStep(*rows, messages_max);
  if (IsContradiction(step.status())) {
    return ReadEntityReclaim(SpanView::RowsBelow(view), entity, messages_max);
  }
  if (!step.status().is_damage()) return step;
  return ReadEntityCarefully(view, entity, messages_max);
}

Result<ShelfReclaimStep> ReadShelfReclaim(const StoreView& view, const Shelf& shelf,
                                          std::size_t messages_max) {
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(shelf, SequenceNumber()));
  Result<ShelfReclaimStep> step = ReadStep(*rows, messages_max);
  if (IsContradiction(step.status())) {
    return ReadShelfReclaim(SpanView::RowsBelow(view), shelf, messages_max);
  }
  return step.status().is_damage() ? ReadStepCarefully(view, shelf, messages_max) : std::move(step);
}

namespace {

void AddTo(ScheduledReclaimed& step, const StoredMessage& scheduled) {
  step.messages.emplace_back(scheduled.number, *scheduled.message.scheduled_enqueue_time);
  if (scheduled.facts.body_ref) step.bodies.push_back(*scheduled.facts.body_ref);
}

// What cannot be read is left, below the floor, until its entity is deleted.
Result<ScheduledReclaimStep> ReadScheduledCarefully(const StoreView& view, EntityId entity,
                                                    SequenceNumber floor,
                                                    std::size_t messages_max) {
  ScheduledReclaimed step{entity, {}, {}};
  NumberWalk numbers = NumberWalk::OfScheduled(view, entity, SequenceNumber(), floor);
  while (step.messages.size() < messages_max) {
    const std::optional<SequenceNumber> number = numbers.Next();
    if (!number) break;
    const Result<ScheduledLook> look = LookAtScheduled(view, entity, *number, Bodies::kLeave);
    if (!look.ok()) return look.status();
    if (look->message != nullptr) AddTo(step, *look->message);
  }
  WHARF_RETURN_IF_ERROR(numbers.status());
  if (step.messages.empty()) return ScheduledReclaimStep();
  return ScheduledReclaimStep(std::move(step));
}

}  // namespace

Result<ScheduledReclaimStep> ReadScheduledReclaim(const StoreView& view, EntityId entity,
                                                  SequenceNumber floor, std::size_t messages_max) {
  ScheduledReclaimed step{entity, {}, {}};
  MessageCursor rows(view, IdOf(Table::kScheduled), ScheduledRange(entity, SequenceNumber(), floor),
                     Bodies::kLeave);
  for (; rows.valid() && step.messages.size() < messages_max; rows.Next()) {
    const Result<MessagePtr> message = rows.message();
    if (message.status().is_damage()) {
      return ReadScheduledCarefully(view, entity, floor, messages_max);
    }
    if (!message.ok()) return message.status();
    AddTo(step, **message);
  }
  if (rows.status().is_damage()) return ReadScheduledCarefully(view, entity, floor, messages_max);
  WHARF_RETURN_IF_ERROR(rows.status());
  if (step.messages.empty()) return ScheduledReclaimStep();
  return ScheduledReclaimStep(std::move(step));
}

}  // namespace wharf
