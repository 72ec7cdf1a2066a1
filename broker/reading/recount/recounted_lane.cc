#include "broker/reading/recount/recounted_lane.h"

namespace wharf {
namespace {

// Adds what is not so.
class Comparison {
 public:
  Comparison(LaneKind kind, std::vector<RecountDifference>& differences)
      : kind_(kind), differences_(differences) {}

  void Expect(const char* what, std::int64_t counted, std::int64_t found) {
    if (counted != found) differences_.push_back({kind_, what, counted, found});
  }
  void ExpectNone(const char* what, std::int64_t found) { Expect(what, 0, found); }
  void Expect(const char* what, SequenceNumber counted, SequenceNumber found) {
    Expect(what, static_cast<std::int64_t>(counted.value()),
           static_cast<std::int64_t>(found.value()));
  }

 private:
  const LaneKind kind_;
  std::vector<RecountDifference>& differences_;
};

void CompareRows(const RecountedLane& lane, Comparison& comparison) {
  comparison.ExpectNone("unreadable_counters", lane.stored ? 0 : 1);
  comparison.ExpectNone("damaged_places", lane.damaged_places);
  comparison.ExpectNone("messages_unreadable", lane.messages_unreadable);
  comparison.ExpectNone("scheduled_messages_unreadable", lane.scheduled_unreadable);
  comparison.ExpectNone("session_states_unreadable", lane.states_unreadable);
  comparison.ExpectNone("delivery_rows_without_message", lane.rows_without_message);
  comparison.ExpectNone("delivery_rows_of_expired", lane.rows_covered);
  comparison.ExpectNone("delivery_rows_too_many", lane.rows_too_many);
  comparison.ExpectNone("delivery_rows_unreadable", lane.rows_unreadable);
  comparison.ExpectNone("delivery_rows_missing", lane.rows_missing);
  comparison.ExpectNone("order_rows_missing", lane.order_wrong);
  comparison.ExpectNone("spans_too_far", lane.spans_too_far);
  // Where no row was passed over.
  const std::int64_t order_rows =
      lane.damaged_places > 0 ? lane.order_of_messages : lane.order_rows;
  comparison.ExpectNone("order_rows_without_message", order_rows - lane.order_of_messages);
}

void CompareCounters(const LaneCounters& stored, const LaneCounters& due, Comparison& comparison) {
  comparison.Expect("fresh_message_count", stored.fresh, due.fresh);
  comparison.Expect("locked_message_count", stored.locked, due.locked);
  comparison.Expect("returned_message_count", stored.returned, due.returned);
  comparison.Expect("delayed_message_count", stored.delayed, due.delayed);
  comparison.Expect("deferred_message_count", stored.deferred, due.deferred);
  comparison.Expect("quarantined_message_count", stored.quarantined, due.quarantined);
  // Bytes and bodies of messages that cannot be read are counted as long as there are any others.
  const bool may_be_unknown = stored.is_uncertain || due.quarantined > 0;
  const bool has_unknown = may_be_unknown && stored.bytes >= due.bytes;
  comparison.Expect("size_in_bytes", has_unknown ? due.bytes : stored.bytes, due.bytes);
  const bool has_known_bodies = stored.knows_separate_bodies &&
                                (!may_be_unknown || stored.separate_bodies < due.separate_bodies);
  comparison.Expect("separate_body_count",
                    has_known_bodies ? stored.separate_bodies : due.separate_bodies,
                    due.separate_bodies);
  comparison.Expect("scheduled_message_count", stored.scheduled, due.scheduled);
  const bool has_unknown_schedule =
      stored.is_uncertain && stored.scheduled_bytes >= due.scheduled_bytes;
  comparison.Expect("scheduled_size_in_bytes",
                    has_unknown_schedule ? due.scheduled_bytes : stored.scheduled_bytes,
                    due.scheduled_bytes);
  comparison.Expect("session_state_size_in_bytes", stored.session_state_bytes,
                    due.session_state_bytes);
  comparison.Expect("cursor", stored.cursor, due.cursor);
  comparison.Expect("next_sequence_number", stored.next_number, due.next_number);
  comparison.Expect("next_partition_numbers", stored.next_numbers == due.next_numbers ? 0 : 1, 0);
}

}  // namespace

RecountedLane::RecountedLane(const EntityRecord& record, LaneKind kind) : shelf(record.id, kind) {
  const QueueDescription& queue = record.description;
  const bool is_main = kind == LaneKind::kMain;
  has_sessions = is_main && queue.requires_session;
  has_cursor =
      is_main && !queue.requires_session && !queue.enable_priority && !queue.enable_partitioning;
}

void RecountedLane::NoteDamage(std::size_t walk, const RowWalk& rows) {
  SequenceNumber& noted = damage_noted[walk];
  if (rows.damage_end() <= noted) return;
  noted = rows.damage_end();
  ++damaged_places;
}

LaneCounters RecountedLane::Counted() const {
  LaneCounters counters = stored.value_or(LaneCounters());
  const bool is_main = shelf.kind == LaneKind::kMain;
  MessageCounts counted = counts;
  counted.is_uncertain = damaged_places > 0 || messages_unreadable > 0;
  if (!is_main) {
    counted.scheduled = counters.scheduled;
    counted.scheduled_bytes = counters.scheduled_bytes;
  }
  static_cast<MessageCounts&>(counters) = counted;
  counters.generation = shelf.generation;
  if (is_main) counters.session_state_bytes = session_state_bytes;
  return counters;
}

void RecountedLane::Compare(const LaneCounters& due,
                            std::vector<RecountDifference>& differences) const {
  Comparison comparison(shelf.kind, differences);
  CompareRows(*this, comparison);
  if (stored) CompareCounters(*stored, due, comparison);
}

}  // namespace wharf
