#include "broker/reading/recount/recount.h"

#include <algorithm>
#include <utility>

#include "broker/reading/recount/message_recount.h"
#include "broker/reading/recount/order_recount.h"
#include "broker/reading/recount/shelf_search.h"
#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {

Recount::Recount(EntityRecord record, Timestamp now)
    : record_(std::move(record)),
      main_(record_, LaneKind::kMain),
      dead_letter_(record_, LaneKind::kDeadLetter),
      numbers_(record_, now) {}

Result<bool> Recount::Step(const StoreView& view, std::size_t rows_max,
                           std::vector<RowsMended>* mends) {
  RowsMended mended{lane().shelf, {}};
  const RecountPage page{view, lane(), mends == nullptr ? nullptr : &mended.mends};
  WHARF_RETURN_IF_ERROR(StepPhase(page, rows_max));
  if (!mended.mends.empty()) mends->push_back(std::move(mended));
  return phase_ == Phase::kEnd;
}

Status Recount::StepPhase(const RecountPage& page, std::size_t rows_max) {
  switch (phase_) {
    case Phase::kBegin:
      return Begin(page.view);
    case Phase::kMessages:
      return StepMessages(page, rows_max);
    case Phase::kOrder:
      return StepOrder(page, rows_max);
    case Phase::kScheduled:
      return StepScheduled(page.view, rows_max);
    case Phase::kStates:
      return StepStates(page.view, rows_max);
    case Phase::kEnd:
      break;
  }
  return {};
}

void Recount::EndPhase(Phase next) {
  phase_ = next;
  from_ = SequenceNumber();
  after_.clear();
}

Status Recount::Begin(const StoreView& view) {
  WHARF_RETURN_IF_ERROR(BeginLane(view, main_));
  WHARF_RETURN_IF_ERROR(BeginLane(view, dead_letter_));
  numbers_.SetStored(main_.stored);
  WHARF_RETURN_IF_ERROR(ReadSpansOf(view, main_));
  WHARF_RETURN_IF_ERROR(ReadSpansOf(view, dead_letter_));
  EndPhase(Phase::kMessages);
  return {};
}

Status Recount::BeginLane(const StoreView& view, RecountedLane& lane) const {
  const auto row = view.Get(IdOf(Table::kCounters), CountersKey(lane.shelf.lane()));
  if (!row.ok() && !row.status().is_damage()) return row.status();
  Result<LaneCounters> counters = LaneCounters();
  if (!row.ok()) counters = row.status();
  if (row.ok() && *row) counters = DecodeCounters(**row);
  if (counters.ok()) {
    lane.stored = *counters;
    lane.shelf.generation = counters->generation;
    return {};
  }
  const Result<Shelf> shelf = FindShelf(view, record_, lane.shelf.kind);
  if (shelf.ok()) lane.shelf = *shelf;
  return shelf.status();
}

// What they cover was given, also where no row is left to tell of it: a message to come must not be
// under them.
Status Recount::ReadSpansOf(const StoreView& view, RecountedLane& lane) {
  Result<ShelfSpans> spans = ReadSpans(view, lane.shelf);
  if (!spans.ok()) return spans.status();
  lane.spans = *std::move(spans);
  for (const Span& span : lane.spans.all()) {
    if (!numbers_.WasGiven(span.last)) ++lane.spans_too_far;
    numbers_.Note(span.last);
  }
  return {};
}

// --- messages

Status Recount::StepMessages(const RecountPage& page, std::size_t rows_max) {
  RowWalk messages = MessagesOf(page.view, page.lane.shelf, from_);
  DeliveryWalk deliveries(page.view, page.lane.shelf, from_);
  for (std::size_t rows = 0; rows < rows_max; ++rows) {
    const Result<SequenceNumber> number = NextOf(messages, deliveries);
    if (!number.ok()) return number.status();
    if (*number == kNumberEnd) {
      EndPhase(Phase::kOrder);
      return {};
    }
    WHARF_RETURN_IF_ERROR(TakeMessage(page, *number, messages, deliveries));
    from_ = number->Next();
  }
  return {};
}

// kNumberEnd: there is none.
Result<SequenceNumber> Recount::NextOf(RowWalk& messages, DeliveryWalk& deliveries) {
  const auto message = messages.Next();
  if (!message.ok()) return message.status();
  const auto delivery = deliveries.Next();
  if (!delivery.ok()) return delivery.status();
  lane().NoteDamage(RecountedLane::kOfMessages, messages);
  for (std::size_t i = 0; i < kDeliveryStandings.size(); ++i) {
    lane().NoteDamage(i, deliveries.rows()[i]);
  }
  return std::min({message->value_or(kNumberEnd), delivery->value_or(kNumberEnd),
                   NextGuess(messages).value_or(kNumberEnd)});
}

// In a place that cannot be read there may be messages that no other row tells of: those that were
// never delivered, and not counted out either. In damage that reaches to the last row of a lane in
// a file each later message of the lane can only be read by its number.
std::optional<SequenceNumber> Recount::NextGuess(const RowWalk& messages) const {
  if (is_dead_letter_) return std::nullopt;
  SequenceNumber from = std::max(from_, messages.damage_begin());
  if (main_.has_cursor && main_.stored) from = std::max(from, main_.stored->cursor);
  return numbers_.First(main_.spans.FirstShown(from), messages.damage_end());
}

Status Recount::TakeMessage(const RecountPage& page, SequenceNumber number, RowWalk& messages,
                            DeliveryWalk& deliveries) {
  Result<MessageRow> message = ToMessageRow(number, messages.Take(number));
  if (!message.ok()) return message.status();
  Result<FoundStandings> standings = deliveries.Take(number);
  if (!standings.ok()) return standings.status();
  const bool is_nothing = !message->is_there || (message->is_guess && !page.lane.has_cursor);
  if (is_nothing && standings->empty()) return {};
  numbers_.Note(number);
  return MessageRecount(page, number, *std::move(message), *std::move(standings)).Count();
}

// --- orders

Status Recount::StepOrder(const RecountPage& page, std::size_t rows_max) {
  OrderRecount order(page, offered_);
  const Result<bool> is_over = StepKeys(
      page.view, Table::kOrder, OrderRange(page.lane.shelf, std::nullopt), rows_max, page.lane,
      [&order](std::string_view key, std::string_view value) { return order.Take(key, value); });
  if (!is_over.ok() || !*is_over) return is_over.status();
  EndPhase(is_dead_letter_ ? Phase::kScheduled : Phase::kMessages);
  is_dead_letter_ = true;
  return {};
}

Result<bool> Recount::StepKeys(const StoreView& view, Table table, KeyRange range,
                               std::size_t rows_max, RecountedLane& lane, TakeRow take) {
  if (!after_.empty()) range.begin = after_;
  KeyWalk rows(view, table, std::move(range));
  bool is_over = false;
  for (std::size_t count = 0; count < rows_max; ++count, rows.Next()) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    is_over = !*has_next;
    if (is_over) break;
    WHARF_RETURN_IF_ERROR(take(rows.key(), rows.value()));
  }
  after_ = rows.at();
  lane.damaged_places += rows.damaged_places();
  return is_over;
}

// --- what counts for the whole entity

Status Recount::StepScheduled(const StoreView& view, std::size_t rows_max) {
  const SequenceNumber floor = main_.stored ? main_.stored->scheduled_floor : SequenceNumber(1);
  const SequenceNumber from = std::max(from_, floor);
  RowWalk rows(
      view, Table::kScheduled, ScheduledRange(record_.id, from, kNumberEnd), from,
      [this](SequenceNumber number) { return ScheduledKey(record_.id, number); },
      NumberOfScheduledKey);
  for (std::size_t count = 0; count < rows_max; ++count) {
    const Result<SequenceNumber> number = NextScheduled(rows);
    if (!number.ok()) return number.status();
    if (*number == kNumberEnd) {
      EndPhase(Phase::kStates);
      return {};
    }
    from_ = number->Next();
    WHARF_RETURN_IF_ERROR(TakeScheduled(*number, rows));
  }
  return {};
}

// kNumberEnd: there is none.
Result<SequenceNumber> Recount::NextScheduled(RowWalk& rows) {
  const auto next = rows.Next();
  if (!next.ok()) return next.status();
  main_.NoteDamage(RecountedLane::kOfScheduled, rows);
  const auto guess = numbers_.First(std::max(from_, rows.damage_begin()), rows.damage_end());
  return std::min(next->value_or(kNumberEnd), guess.value_or(kNumberEnd));
}

// What cannot be read is not activated, so nobody counts it either.
Status Recount::TakeScheduled(SequenceNumber number, RowWalk& rows) {
  const Result<MessageRow> message = ToMessageRow(number, rows.Take(number));
  if (!message.ok()) return message.status();
  if (!message->is_there) return {};
  numbers_.Note(number);
  if (!message->is_readable) {
    ++main_.scheduled_unreadable;
    return {};
  }
  ++main_.messages;
  ++main_.counts.scheduled;
  main_.counts.scheduled_bytes += message->facts.size;
  return {};
}

Status Recount::StepStates(const StoreView& view, std::size_t rows_max) {
  const Result<bool> is_over = StepKeys(
      view, Table::kSessionState, SessionRange(record_.id, std::nullopt), rows_max, main_,
      [this](std::string_view key, std::string_view value) { return TakeState(key, value); });
  if (is_over.ok() && *is_over) EndPhase(Phase::kEnd);
  return is_over.status();
}

Status Recount::TakeState(std::string_view key, std::string_view value) {
  if (!SessionOfKey(key)) return DamagedKey();
  const Result<SessionState> state = DecodeSessionState(value);
  if (!state.ok()) {
    ++main_.states_unreadable;
    return {};
  }
  main_.session_state_bytes += static_cast<std::int64_t>(state->bytes.size());
  return {};
}

// --- what comes of it

LaneCounters Recount::CountersOf(LaneKind kind) const {
  const RecountedLane& lane = kind == LaneKind::kMain ? main_ : dead_letter_;
  LaneCounters counters = lane.Counted();
  if (kind == LaneKind::kDeadLetter) return counters;
  numbers_.Complete(counters);
  counters.ForgetTaken();
  if (!lane.has_cursor) return counters;
  if (!lane.stored) counters.cursor = counters.next_number;
  if (lane.lowest_fresh) counters.cursor = std::min(counters.cursor, *lane.lowest_fresh);
  return counters;
}

RecountReport Recount::Report() const {
  RecountReport report{.messages = main_.messages + dead_letter_.messages};
  main_.Compare(CountersOf(LaneKind::kMain), report.differences);
  dead_letter_.Compare(CountersOf(LaneKind::kDeadLetter), report.differences);
  return report;
}

}  // namespace wharf
