#include "tests/harness/message_accounts.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "broker/reading/shared_hint_reader.h"
#include "broker/schema/bytes.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"
#include "tests/harness/job_rows.h"

namespace wharf {
namespace {

using NumberSet = std::set<SequenceNumber>;

NumberSet NumbersIn(const StoreView& view, const Shelf& shelf, Standing standing) {
  NumberSet numbers;
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, standing, SequenceNumber()));
  for (; rows->valid(); rows->Next()) numbers.insert(*NumberOfDeliveryKey(rows->key()));
  return numbers;
}

std::map<SequenceNumber, StoredMessage> MessagesIn(const StoreView& view, const Shelf& shelf) {
  std::map<SequenceNumber, StoredMessage> messages;
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(shelf, SequenceNumber()));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfMessageKey(rows->key());
    messages.emplace(number, *DecodeMessage(number, rows->value()));
  }
  return messages;
}

std::map<SequenceNumber, StoredMessage> ScheduledOf(const StoreView& view, EntityId entity) {
  std::map<SequenceNumber, StoredMessage> messages;
  const auto rows = view.Scan(IdOf(Table::kScheduled), EntityRange(entity));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfScheduledKey(rows->key());
    messages.emplace(number, *DecodeMessage(number, rows->value()));
  }
  return messages;
}

void Compare(std::string& wrong, std::string_view what, std::int64_t counted,
             std::int64_t recounted) {
  if (counted == recounted) return;
  wrong += fmt::format("{} is {}, but there are {}; ", what, counted, recounted);
}

constexpr Standing kStandings[] = {Standing::kLocked, Standing::kReturned, Standing::kDelayed,
                                   Standing::kDeferred, Standing::kQuarantined};

void CompareScheduled(std::string& wrong, const StoreView& view, EntityId entity,
                      const LaneCounters& counters) {
  const auto scheduled = ScheduledOf(view, entity);
  std::int64_t bytes = 0;
  for (const auto& [number, message] : scheduled) bytes += message.facts.size;
  Compare(wrong, "scheduled", counters.scheduled, static_cast<std::int64_t>(scheduled.size()));
  Compare(wrong, "scheduled bytes", counters.scheduled_bytes, bytes);
}

// What was due in the bucket by then has been looked at.
Timestamp HandledUntil(const StoreView& view, Bucket bucket) {
  const std::string name = BucketMetaKey(bucket, kMetaDueHandledUntil);
  const auto row = view.Get(IdOf(Table::kMeta), name).value();
  if (!row) return Timestamp();
  const std::uint64_t micros = DecodeMeta(kMetaDueHandledUntil, *row).value();
  return Timestamp(Duration(static_cast<std::int64_t>(micros)));
}

// Whether a message may have lived out on its way to another entity, where that ends nothing
// (TTL-16): its hint has gone then. If it is not sent on after all it is looked at when its delay
// ends.
bool MayHaveLivedOut(const StoreView& view, const QueueSnapshot& queue, const Shelf& shelf,
                     SequenceNumber number) {
  return queue.record.description.forward_to ||
         NumbersIn(view, shelf, Standing::kDelayed).contains(number);
}

// Those that messages of the shelf share.
std::vector<SharedHint> SharedHintsOf(const StoreView& view, const Shelf& shelf) {
  std::vector<SharedHint> hints;
  const auto rows = view.Scan(IdOf(Table::kDue), DueRange(shelf.entity.bucket(), {}, kNever));
  for (; rows->valid(); rows->Next()) {
    const DueHint hint = *HintOfDueKey(rows->key());
    if (hint.kind != DueKind::kExpireShared || hint.lane != shelf) continue;
    hints.push_back(*DecodeSharedHint(hint, rows->value()));
  }
  return hints;
}

bool HasExpiryHint(const StoreView& view, const Shelf& shelf, const std::vector<SharedHint>& shared,
                   const StoredMessage& message) {
  if (!message.facts.shares_hint) {
    const DueHint own{message.facts.expires_at, DueKind::kExpire, shelf, message.number};
    return view.Get(IdOf(Table::kDue), DueKey(own))->has_value();
  }
  return std::any_of(shared.begin(), shared.end(),
                     [&message](const SharedHint& each) { return IsMeant(each, message); });
}

// Every message that will be due has a hint, or nobody would come for it.
void FindMissingHints(std::string& stray, const StoreView& view, const QueueSnapshot& queue,
                      const Shelf& shelf, const std::map<SequenceNumber, StoredMessage>& messages) {
  std::set<SequenceNumber> looked_for_elsewhere = NumbersIn(view, shelf, Standing::kLocked);
  looked_for_elsewhere.merge(NumbersIn(view, shelf, Standing::kDeferred));
  looked_for_elsewhere.merge(NumbersIn(view, shelf, Standing::kQuarantined));
  const Timestamp handled = HandledUntil(view, shelf.entity.bucket());
  const std::vector<SharedHint> shared = SharedHintsOf(view, shelf);
  for (const auto& [number, message] : messages) {
    const Timestamp time = message.facts.expires_at;
    if (time == kNever || looked_for_elsewhere.contains(number)) continue;
    if (time <= handled && MayHaveLivedOut(view, queue, shelf, number)) continue;
    if (!HasExpiryHint(view, shelf, shared, message)) {
      stray += fmt::format("nothing tells when {} expires; ", number.value());
    }
  }
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, Standing::kDelayed, SequenceNumber()));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfDeliveryKey(rows->key());
    const Timestamp time = DecodeDelayed(number, rows->value())->available_at;
    const auto hint =
        view.Get(IdOf(Table::kDue), DueKey({time, DueKind::kEndDelay, shelf, number}));
    if (!hint->has_value()) stray += fmt::format("nothing ends the delay of {}; ", number.value());
  }
}

Shelf ShelfOf(const QueueSnapshot& queue, LaneKind kind) {
  const LaneCounters& counters = kind == LaneKind::kMain ? queue.main : queue.dead_letter;
  return {queue.record.id, kind, counters.generation};
}

// Of the messages of a queue, those bodies that came to `entity`.
NumberSet BodiesOf(const StoreView& view, const QueueSnapshot& queue, EntityId entity) {
  NumberSet bodies;
  const auto note = [&bodies, entity](const auto& messages) {
    for (const auto& [number, message] : messages) {
      const auto& body = message.facts.body_ref;
      if (body && body->entity == entity) bodies.insert(body->number);
    }
  };
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    note(MessagesIn(view, ShelfOf(queue, kind)));
  }
  note(ScheduledOf(view, queue.record.id));
  return bodies;
}

// Two indexes of the same messages.
void CheckScheduled(std::string& stray, const StoreView& view, EntityId entity) {
  std::set<SequenceNumber> timed;
  const auto rows = view.Scan(IdOf(Table::kScheduledTimes), EntityRange(entity));
  for (; rows->valid(); rows->Next()) timed.insert(ScheduledTimeOfKey(rows->key())->number);
  for (const auto& [number, message] : ScheduledOf(view, entity)) {
    const Timestamp time = *message.message.scheduled_enqueue_time;
    const DueHint hint{time, DueKind::kActivate, {entity, LaneKind::kMain}, number};
    if (timed.erase(number) == 0 || !view.Get(IdOf(Table::kDue), DueKey(hint))->has_value()) {
      stray += fmt::format("nothing tells when {} is to be activated; ", number.value());
    }
  }
  for (const SequenceNumber number : timed) {
    stray += fmt::format("a time of {} has no scheduled message; ", number.value());
  }
}

}  // namespace

std::string FindWrongCounters(const Store& store, EntityId entity, LaneKind kind,
                              const LaneCounters& counters) {
  const SpanView view(store.View());
  const Shelf shelf(entity, kind, counters.generation);
  std::map<Standing, NumberSet> standing;
  for (const Standing each : kStandings) standing[each] = NumbersIn(view, shelf, each);
  const auto is_fresh = [&standing](SequenceNumber number) {
    return std::none_of(standing.begin(), standing.end(),
                        [number](const auto& each) { return each.second.contains(number); });
  };
  std::int64_t fresh = 0;
  std::int64_t bytes = 0;
  std::int64_t separate_bodies = 0;
  for (const auto& [number, message] : MessagesIn(view, shelf)) {
    bytes += message.facts.size;
    if (message.facts.body_ref) ++separate_bodies;
    if (is_fresh(number)) ++fresh;
  }
  const auto count = [&standing](Standing each) {
    return static_cast<std::int64_t>(standing.at(each).size());
  };
  std::string wrong;
  Compare(wrong, "fresh", counters.fresh, fresh);
  Compare(wrong, "locked", counters.locked, count(Standing::kLocked));
  Compare(wrong, "returned", counters.returned, count(Standing::kReturned));
  Compare(wrong, "delayed", counters.delayed, count(Standing::kDelayed));
  Compare(wrong, "deferred", counters.deferred, count(Standing::kDeferred));
  Compare(wrong, "quarantined", counters.quarantined, count(Standing::kQuarantined));
  Compare(wrong, "bytes", counters.bytes, bytes);
  if (counters.knows_separate_bodies) {
    Compare(wrong, "separate bodies", counters.separate_bodies, separate_bodies);
  }
  if (kind == LaneKind::kMain) CompareScheduled(wrong, view, entity, counters);
  return wrong;
}

std::string FindStrayPlaces(const Store& store, const QueueSnapshot& queue) {
  const SpanView view(store.View());
  const EntityId entity = queue.record.id;
  std::string stray;
  std::size_t standing_on_shelves = 0;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const Shelf shelf = ShelfOf(queue, kind);
    const auto messages = MessagesIn(view, shelf);
    standing_on_shelves += messages.size();
    FindMissingHints(stray, view, queue, shelf, messages);
    for (const Standing standing : kStandings) {
      for (const SequenceNumber number : NumbersIn(view, shelf, standing)) {
        if (messages.contains(number)) continue;
        stray += fmt::format("a delivery row of {} has no message; ", number.value());
      }
    }
  }
  CheckScheduled(stray, view, entity);
  const auto all = view.Scan(IdOf(Table::kMessages), EntityRange(entity));
  for (; all->valid(); all->Next()) --standing_on_shelves;
  if (standing_on_shelves != 0) stray += "messages stand on a shelf that was purged; ";
  return stray;
}

std::string FindStrayRows(const Store& store, const QueueSnapshot& queue,
                          const std::vector<QueueSnapshot>& others) {
  const SpanView view(store.View());
  const EntityId entity = queue.record.id;
  std::string stray = FindStrayPlaces(store, queue);
  NumberSet with_body = BodiesOf(view, queue, entity);
  for (const QueueSnapshot& other : others) with_body.merge(BodiesOf(view, other, entity));
  const auto bodies = view.Scan(IdOf(Table::kBodies), EntityRange(entity));
  for (; bodies->valid(); bodies->Next()) {
    ByteReader key(bodies->key());
    key.Fixed64();
    const SequenceNumber number(key.Fixed64());
    if (!with_body.contains(number)) {
      stray += fmt::format("a body row of {} has no message; ", number.value());
    }
  }
  for (const std::string& key : KeysOfJobs(view, JobKind::kLooseBody)) {
    const auto body = BodyOfLooseBodyKey(key);
    if (!body || body->entity != entity) continue;
    stray += fmt::format("the body {} is loose; ", body->number.value());
  }
  return stray;
}

}  // namespace wharf
