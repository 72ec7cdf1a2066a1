#include "broker/schema/change_encoder.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

#include "absl/container/btree_map.h"
#include "broker/core/changes/shared_hint_row.h"
#include "broker/schema/access_record.h"
#include "broker/schema/event_record.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/tables.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

constexpr TableId kMeta = IdOf(Table::kMeta);
constexpr TableId kCatalog = IdOf(Table::kCatalog);
constexpr TableId kCountersTable = IdOf(Table::kCounters);
constexpr TableId kMessages = IdOf(Table::kMessages);
constexpr TableId kBodies = IdOf(Table::kBodies);
constexpr TableId kDelivery = IdOf(Table::kDelivery);
constexpr TableId kJobs = IdOf(Table::kJobs);
constexpr TableId kScheduled = IdOf(Table::kScheduled);
constexpr TableId kScheduledTimes = IdOf(Table::kScheduledTimes);
constexpr TableId kDue = IdOf(Table::kDue);
constexpr TableId kDuplicates = IdOf(Table::kDuplicates);
constexpr TableId kOrder = IdOf(Table::kOrder);
constexpr TableId kSessions = IdOf(Table::kSessions);
constexpr TableId kSessionState = IdOf(Table::kSessionState);
constexpr TableId kSessionsReady = IdOf(Table::kSessionsReady);
constexpr TableId kRules = IdOf(Table::kRules);
constexpr TableId kAccess = IdOf(Table::kAccess);
constexpr TableId kBodyRefs = IdOf(Table::kBodyRefs);
constexpr TableId kOutcomes = IdOf(Table::kOutcomes);
constexpr TableId kSpans = IdOf(Table::kSpans);
constexpr TableId kEvents = IdOf(Table::kEvents);

// A span that is given up over fewer messages leaves its space to compactions that come anyway.
constexpr std::uint64_t kNumbersWorthReturning = 1024;

std::uint64_t MicrosOf(Timestamp time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

// Bodies of their own that go together and lie together leave less to compactions, too.
constexpr std::uint64_t kBodiesWorthReturning = 64 << 10;

// The shelf of the hint for a message that is in no lane yet.
Shelf ScheduledShelf(EntityId entity) { return {entity, LaneKind::kMain}; }

// The hint for the time to live that is the message's own; nothing without one, where it shares
// that of others, and in a dead-letter queue (TTL-15).
std::optional<DueHint> ExpiryHint(const Shelf& lane, SequenceNumber number,
                                  const MessageFacts& facts) {
  const bool has_hint = facts.expires_at != kNever && !facts.shares_hint;
  if (!has_hint || lane.kind != LaneKind::kMain) return std::nullopt;
  return DueHint{facts.expires_at, DueKind::kExpire, lane, number};
}

class Encoder {
 public:
  explicit Encoder(WriteBatch& batch) : batch_(batch) {}

  // Writes what was kept back.
  void Finish() {
    for (const auto& [key, standing] : new_order_) {
      batch_.Put(kOrder, key, EncodeOrder(standing));
    }
    NoteFreedBodies();
  }

  void operator()(const EntityCreated& change) {
    PutEntity(*change.record);
    const EntityId id = change.record->id;
    PutMeta(id.bucket(), kMetaNextEntityNumber, id.number() + 1);
  }

  void operator()(const EntityUpdated& change) { PutEntity(*change.record); }

  void operator()(const EntityDeleted& change) {
    batch_.Delete(kCatalog, FoldPath(change.name));
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      batch_.Delete(kCountersTable, CountersKey({change.id, kind}));
    }
    batch_.Put(kJobs, ReclaimKey(JobKind::kReclaimEntity, change.id), EncodeReclaim());
  }

  void operator()(const LanePurged& change) {
    batch_.Put(kJobs, ReclaimShelfKey(change.shelf), EncodeReclaim());
  }

  void operator()(const ShelfReclaimed& change) {
    DeleteRange(kMessages, MessageRange(change.shelf, SequenceNumber(), change.through.Next()));
    ReclaimBodies(change.bodies);
  }

  // Five ranges. Of the messages rows may be left that could not be read, or all of them, and those
  // under spans, which end here.
  void operator()(const ShelfReclaimFinished& change) {
    for (const TableId table : {kMessages, kDelivery, kOrder, kSessionsReady, kSpans}) {
      DeleteRange(table, ShelfRange(change.shelf));
    }
    batch_.Delete(kJobs, ReclaimShelfKey(change.shelf));
    if (change.frees_much) NoteFreed(kMessages, MessageRange(change.shelf, SequenceNumber()));
  }

  void operator()(const ScheduledPurged& change) {
    batch_.Put(kJobs, ReclaimKey(JobKind::kReclaimScheduled, change.entity), EncodeReclaim());
  }

  void operator()(const ScheduledReclaimed& change) {
    for (const auto& [number, time] : change.messages) {
      DeleteScheduled(change.entity, number, time);
    }
    ReclaimBodies(change.bodies);
  }

  void operator()(const ScheduledReclaimFinished& change) {
    batch_.Delete(kJobs, ReclaimKey(JobKind::kReclaimScheduled, change.entity));
  }

  // Twelve ranges for an entity, as many tombstones: the reclaimer bounds how many end at a time.
  // Bodies are in none of them: those of messages that were moved from here are needed elsewhere.
  void operator()(const EntityReclaimFinished& change) {
    for (const TableId table : {kMessages, kDelivery, kScheduled, kScheduledTimes, kDuplicates,
                                kOrder, kSessions, kSessionState, kSessionsReady, kRules, kSpans}) {
      DeleteRange(table, EntityRange(change.id));
    }
    DeleteRange(kJobs, ReclaimShelfRange(change.id));
    batch_.Delete(kJobs, ReclaimKey(JobKind::kReclaimScheduled, change.id));
    batch_.Delete(kJobs, ReclaimKey(JobKind::kReclaimEntity, change.id));
    if (change.frees_much) NoteFreed(kMessages, EntityRange(change.id));
  }

  void operator()(const MessageEnqueued& change) {
    const StoredMessage& message = *change.message;
    if (message.facts.body_ref) AddBody(*message.facts.body_ref, message.message.body);
    PutMessage(change.lane, message);
  }

  void operator()(const MessageLocked& change) {
    DeleteStanding(change.lane, change.from, change.number);
    DeleteOrder(change.lane, change.from, change.number, change.facts);
    if (kMutant == Mutant::kForgottenLockRow) return;
    const Lane::LockedRow row{change.token, LockOf(change, change.from == Standing::kDeferred)};
    batch_.PutNew(kDelivery, LockedKey(change.lane, change.number), EncodeLocked(row));
  }

  void operator()(const LockRenewed& change) {
    const Lane::LockedRow row{change.token, LockOf(change, change.was_deferred)};
    batch_.Put(kDelivery, LockedKey(change.lane, change.number), EncodeLocked(row));
  }

  void operator()(const MessageCompleted& change) {
    Remove(change.lane, change.number, change.facts, Standing::kLocked);
  }

  void operator()(const MessageConsumed& change) {
    TakeOut(change.lane, change.number, change.facts, change.from);
    if (!change.facts.body_ref) return;
    if (change.facts.has_large_body()) {
      PutLooseBody(*change.facts.body_ref);
    } else {
      DeleteBody(*change.facts.body_ref);
    }
  }

  void operator()(const MessageRemoved& change) {
    Remove(change.lane, change.number, change.facts, change.from);
  }

  // What the span covers stays where it is. No reader sees it any more, and compactions drop it.
  void operator()(const MessagesExpired& change) {
    for (const SequenceNumber first : change.absorbed) {
      batch_.Delete(kSpans, SpanKey(change.lane, first));
    }
    batch_.Put(kSpans, SpanKey(change.lane, change.span->first), EncodeSpan(*change.span));
  }

  // As many ranges as exceptions, and one more. With the span goes what hides the rows that no
  // compaction came to yet, so they go in the same batch. What is left of them is garbage no more,
  // but deleted.
  void operator()(const SpanForgotten& change) {
    const Span& span = *change.span;
    SequenceNumber from = span.first;
    for (const SequenceNumber exception : span.exceptions) {
      DeleteMessages(change.lane, from, exception);
      from = exception.Next();
    }
    DeleteMessages(change.lane, from, span.last.Next());
    if (change.track) DeleteOrderUnder(span, change.lane, *change.track);
    batch_.Delete(kSpans, SpanKey(change.lane, span.first));
    const std::uint64_t numbers = span.last.value() - span.first.value() + 1;
    if (numbers >= kNumbersWorthReturning && 2 * span.exceptions.size() <= numbers) {
      NoteFreed(kMessages, MessageRange(change.lane, span.first, span.last.Next()));
    }
  }

  void operator()(const MessageReturned& change) {
    DeleteStanding(change.lane, Standing::kLocked, change.number);
    PutStanding(change.lane, Standing::kReturned, change);
    PutOrder(change.lane, Standing::kReturned, change.number, change.facts);
  }

  void operator()(const MessageDelayed& change) {
    DeleteStanding(change.lane, Standing::kLocked, change.number);
    batch_.Put(kDelivery, DeliveryKey(change.lane, Standing::kDelayed, change.number),
               EncodeDelayed(change.delivery, change.facts, change.available_at));
    // In a session it keeps those behind it back (RTY-5); others may pass it.
    if (!change.facts.track) {
      PutOrder(change.lane, Standing::kDelayed, change.number, change.facts);
    }
    PutDue({change.available_at, DueKind::kEndDelay, change.lane, change.number});
  }

  void operator()(const MessageDelayEnded& change) {
    DeleteDue({change.available_at, DueKind::kEndDelay, change.lane, change.number});
    DeleteStanding(change.lane, Standing::kDelayed, change.number);
    PutStanding(change.lane, Standing::kReturned, change);
    ChangeOrder(change.lane, Standing::kReturned, change.number, change.facts);
  }

  void operator()(const MessageDeferred& change) {
    DeleteStanding(change.lane, Standing::kLocked, change.number);
    PutStanding(change.lane, Standing::kDeferred, change);
  }

  void operator()(const MessageUndeferred& change) {
    DeleteStanding(change.lane, Standing::kDeferred, change.number);
    PutStanding(change.lane, Standing::kReturned, change);
    PutOrder(change.lane, Standing::kReturned, change.number, change.facts);
  }

  // What is left of it stays for its owner, who may be able to do something with it.
  void operator()(const MessageQuarantined& change) {
    DeleteStanding(change.lane, change.note->from, change.number);
    DeleteOrder(change.lane, change.note->from, change.number, change.facts);
    batch_.Put(kDelivery, DeliveryKey(change.lane, Standing::kQuarantined, change.number),
               EncodeQuarantined(change.delivery, change.facts, *change.note));
  }

  // Its row moves to where the rows of all others in quarantine are.
  void operator()(const ScheduledQuarantined& change) {
    DeleteScheduled(change.lane.entity, change.scheduled_number, change.time);
    if (!change.record.empty()) {
      batch_.Put(kMessages, MessageKey(change.lane, change.number), change.record);
    }
    batch_.Put(kDelivery, DeliveryKey(change.lane, Standing::kQuarantined, change.number),
               EncodeQuarantined(Delivery(), MessageFacts(), *change.note));
  }

  // The body's rows stay where they are; the moved message names them.
  void operator()(const MessageDeadLettered& change) {
    const StoredMessage& message = *change.message;
    TakeOut(change.from_lane, message.number, change.facts_before, change.from);
    PutMessage(change.to_lane, message);
    batch_.Put(kDelivery, DeliveryKey(change.to_lane, Standing::kReturned, message.number),
               EncodeReturned(change.delivery, message.facts));
    PutOrder(change.to_lane, Standing::kReturned, message.number, message.facts);
  }

  void operator()(const MessageRedriven& change) {
    TakeOut(change.from_lane, change.number_before, change.facts_before, change.from);
    PutMessage(change.to_lane, *change.message);
  }

  void operator()(const MessageForwarded& change) {
    TakeOut(change.from_lane, change.number_before, change.facts_before, change.from);
    if (change.scheduled_for) {
      PutScheduled(change.to_lane.entity, *change.message, *change.scheduled_for);
    } else {
      PutMessage(change.to_lane, *change.message);
    }
  }

  void operator()(const MessageScheduled& change) {
    const StoredMessage& message = *change.message;
    if (message.facts.body_ref) AddBody(*message.facts.body_ref, message.message.body);
    PutScheduled(change.entity, message, change.time);
  }

  void operator()(const MessageRescheduled& change) {
    DeleteScheduled(change.entity, change.message->number, change.time_before);
    PutScheduled(change.entity, *change.message, change.time);
  }

  void operator()(const ScheduledCancelled& change) {
    DeleteScheduled(change.entity, change.number, change.time);
    if (change.facts.body_ref) DeleteBody(*change.facts.body_ref);
  }

  void operator()(const MessageActivated& change) {
    DeleteScheduled(change.lane.entity, change.scheduled_number, change.time);
    PutMessage(change.lane, *change.message);
  }

  void operator()(const MessageIdRemembered& change) {
    batch_.Put(kDuplicates, DuplicateKey(change.entity, change.partition_key, change.message_id),
               EncodeDuplicate({change.number, change.forget_after, change.is_scheduled}));
  }

  void operator()(const SessionLocked& change) { PutSession(change); }
  void operator()(const SessionLockRenewed& change) { PutSession(change); }
  void operator()(const SessionUnlocked& change) { PutSession(change); }
  void operator()(const SessionExpired& change) { PutSession(change); }
  void operator()(const SessionExpiryFinished& change) { PutSession(change); }

  void operator()(const SessionOffered& change) {
    batch_.Put(kSessionsReady, OfferKey(change.shelf, change.number, change.session), "");
  }

  void operator()(const SessionOfferWithdrawn& change) {
    batch_.Delete(kSessionsReady, OfferKey(change.shelf, change.number, change.session));
  }

  void operator()(const SessionStateSet& change) {
    const std::string key = SessionKey(change.entity, change.session);
    if (!change.state) return batch_.Delete(kSessionState, key);
    batch_.Put(kSessionState, key, EncodeSessionState({change.updated_at, *change.state}));
  }

  void operator()(const RuleAdded& change) {
    batch_.Put(kRules, RuleKey(change.subscription, change.rule->name), EncodeRule(*change.rule));
  }

  void operator()(const RuleRemoved& change) {
    batch_.Delete(kRules, RuleKey(change.subscription, change.name));
  }

  void operator()(const AccessRuleSet& change) {
    batch_.Put(kAccess, AccessRuleKey(change.entity, change.rule->name()),
               EncodeAccessRule(*change.rule));
  }

  void operator()(const EventsLogged& change) {
    batch_.Put(kEvents, EventKey(change.entity, change.position), change.row);
    batch_.Put(kEvents, EventHeadKey(change.entity), EncodeEventHead({change.end, change.serial}));
  }

  // Of a log that is full one range for each sixteenth of it.
  void operator()(const EventsDropped& change) {
    const KeyRange rows = change.until
                              ? EventRangeBetween(change.entity, change.from, *change.until)
                              : EntityRange(change.entity);
    DeleteRange(kEvents, rows);
    NoteFreed(kEvents, rows);
  }

  void operator()(const AccessRuleRemoved& change) {
    batch_.Delete(kAccess, AccessRuleKey(change.entity, change.name));
  }

  void operator()(const MessagePublished& change) {
    if (change.scheduled) {
      DeleteScheduled(change.topic, change.scheduled->number, change.scheduled->time);
    }
    if (change.origin) {
      const MessagePublished::Origin& origin = **change.origin;
      TakeOut(origin.lane, origin.number, origin.facts, origin.standing);
    }
    if (!change.body) return;
    if (change.has_loose_body()) DeleteLooseBody(*change.body);
    if (change.copies == 0) {
      if (change.has_stored_body) DeleteBody(*change.body);
    } else if (!change.has_stored_body) {
      PutBody(*change.body, change.message->message.body);
    } else if (change.body->is_shared() && change.copies > 1) {
      // Each copy has a handle of its own.
      DeleteBody(*change.body);
    }
  }

  void operator()(const MessageCopied& change) {
    const StoredMessage& message = *change.message;
    PutMessage(change.lane, message);
    if (change.lane.kind == LaneKind::kDeadLetter) {
      batch_.Put(kDelivery, DeliveryKey(change.lane, Standing::kReturned, message.number),
                 EncodeReturned(Delivery(), message.facts));
    }
    const auto& body = message.facts.body_ref;
    if (body && body->is_shared()) batch_.Put(kBodyRefs, BodyRefKey(*body), "");
  }

  void operator()(const SharedBodyReleased& change) {
    batch_.Put(kJobs, ReleasedBodyKey(change.body), EncodeLooseBody(change.body));
  }

  void operator()(const SharedBodyKept& change) {
    batch_.Delete(kJobs, ReleasedBodyKey(change.body));
  }

  // Bodies that were released went with a purge or a deletion, or before a restart.
  void operator()(const SharedBodyDropped& change) {
    DeleteOwnBody(change.body);
    if (!change.was_released) return;
    batch_.Delete(kJobs, ReleasedBodyKey(change.body));
    CountFreed(change.body);
  }

  void operator()(const HintShared& change) {
    batch_.Put(kDue, DueKey(RowOf(change.shared)), EncodeSharedHint(change.shared));
  }

  void operator()(const DueHintDropped& change) { DeleteDue(change.hint); }

  void operator()(const DueHandled& change) {
    PutMeta(change.bucket, kMetaDueHandledUntil, MicrosOf(change.time));
  }

  void operator()(const JobChanged& change) {
    const JobRecord& job = *change.record;
    const Bucket bucket = job.entity.bucket();
    batch_.Put(kJobs, JobKey(bucket, job.id), EncodeJob(job));
    if (change.is_new) PutMeta(bucket, kMetaNextJobId, job.id.Next().value());
  }

  void operator()(const JobForgotten& change) {
    batch_.Delete(kJobs, JobKey(change.entity.bucket(), change.id));
  }

  // Until its end it needs no more than a row that it was begun.
  void operator()(const TransactionBegun& change) {
    batch_.Put(
        kOutcomes, OutcomeKey(change.id, true),
        EncodeTransaction({.id = change.id, .begun_at = change.begun_at, .owner = change.owner}));
  }

  void operator()(const TransactionEnded& change) {
    const TransactionRecord& record = change.record;
    if (change.was_open) batch_.Delete(kOutcomes, OutcomeKey(record.id, true));
    batch_.Put(kOutcomes, OutcomeKey(record.id, false), EncodeTransaction(record));
  }

  void operator()(const BodyChunkStored& change) {
    if (change.chunk == 0) PutLooseBody(change.body);
    batch_.Put(kBodies, BodyKey(change.body, change.chunk), change.bytes);
  }

  void operator()(const LooseBodyDropped& change) {
    DeleteBody(change.body);
    DeleteLooseBody(change.body);
  }

  void operator()(const EntityFenced& change) {
    batch_.Put(kJobs, ReclaimKey(JobKind::kFence, change.entity), EncodeFence(change.reason));
  }

  // What was due of it was passed by, and is looked for again.
  void operator()(const EntityUnfenced& change) {
    batch_.Delete(kJobs, ReclaimKey(JobKind::kFence, change.entity));
    PutMeta(change.entity.bucket(), kMetaDueHandledUntil, MicrosOf(Timestamp()));
  }

  void operator()(const RowsMended& change) {
    for (const RowMend& mend : change.mends) Mend(change.shelf, mend);
  }

  void operator()(const CountersChanged& change) {
    LaneCounters counters = *change.counters;
    if (kMutant == Mutant::kCursorOneTooFar) counters.cursor = counters.cursor.Next();
    batch_.Put(kCountersTable, CountersKey(change.lane), EncodeCounters(counters));
  }

 private:
  void PutMeta(Bucket bucket, std::string_view name, std::uint64_t value) {
    batch_.Put(kMeta, BucketMetaKey(bucket, name), EncodeMeta(value));
  }

  void PutEntity(const EntityRecord& record) {
    batch_.Put(kCatalog, FoldPath(record.description.name), EncodeEntity(record));
  }

  // RocksStore refuses a range in the midst of neighbours. What this turn added to it is kept back,
  // and would stay.
  void DeleteRange(TableId table, const KeyRange& range) {
    [[maybe_unused]] const TableOptions& options = BrokerTables()[table];
    assert(options.neighbours_prefix == 0 || options.is_deleted_singly ||
           range.begin.size() <= options.neighbours_prefix);
    if (table == kOrder) {
      new_order_.erase(new_order_.lower_bound(range.begin), new_order_.lower_bound(range.end));
    }
    batch_.DeleteRange(table, range.begin, range.end);
  }

  void DeleteMessages(const Shelf& shelf, SequenceNumber from, SequenceNumber until) {
    if (from < until) DeleteRange(kMessages, MessageRange(shelf, from, until));
  }

  // What reclaiming has deleted there, the store can give back.
  void NoteFreed(TableId table, const KeyRange& range) {
    batch_.NoteFreed(table, range.begin, range.end);
  }

  void Mend(const Shelf& shelf, const RowMend& mend) {
    const std::string order = OrderKey(shelf, mend.ordering_key, mend.number);
    switch (mend.kind) {
      case RowMend::Kind::kDropDelivery:
        return DeleteStanding(shelf, mend.standing, mend.number);
      case RowMend::Kind::kReturn:
        return batch_.Put(kDelivery, DeliveryKey(shelf, Standing::kReturned, mend.number),
                          EncodeReturned(Delivery(), mend.facts));
      case RowMend::Kind::kDropOrder:
        return batch_.Delete(kOrder, order);
      case RowMend::Kind::kPutOrder:
        return batch_.Put(kOrder, order, EncodeOrder(mend.standing));
      case RowMend::Kind::kOffer:
        return batch_.Put(kSessionsReady, OfferKey(shelf, mend.number, mend.ordering_key), "");
    }
  }

  // A message enters a lane.
  void PutMessage(const Shelf& lane, const StoredMessage& message) {
    batch_.Put(kMessages, MessageKey(lane, message.number), messages_.Encode(message));
    PutOrder(lane, Standing::kFresh, message.number, message.facts);
    if (const auto hint = ExpiryHint(lane, message.number, message.facts)) PutDue(*hint);
  }

  // A message leaves a lane; its body stays.
  void TakeOut(const Shelf& lane, SequenceNumber number, const MessageFacts& facts, Standing from) {
    DeleteStanding(lane, from, number);
    DeleteOrder(lane, from, number, facts);
    batch_.SingleDelete(kMessages, MessageKey(lane, number));
    if (const auto hint = ExpiryHint(lane, number, facts)) DeleteDue(*hint);
  }

  void Remove(const Shelf& lane, SequenceNumber number, const MessageFacts& facts, Standing from) {
    TakeOut(lane, number, facts, from);
    if (facts.body_ref) DeleteBody(*facts.body_ref);
  }

  // An uploaded body is there already; now a message names it.
  void AddBody(const BodyRef& ref, std::string_view body) {
    if (ref.was_uploaded()) return DeleteLooseBody(ref);
    PutBody(ref, body);
  }

  void PutLooseBody(const BodyRef& body) {
    batch_.Put(kJobs, LooseBodyKey(body), EncodeLooseBody(body));
  }

  void DeleteLooseBody(const BodyRef& body) { batch_.Delete(kJobs, LooseBodyKey(body)); }

  // Of a large body, in one write instead of hundreds.
  void DeleteChunks(const BodyRef& body) {
    const KeyRange chunks = BodyRange(body);
    batch_.DeleteRange(kBodies, chunks.begin, chunks.end);
  }

  void PutBody(const BodyRef& ref, std::string_view body) {
    for (std::uint32_t chunk = 0; !body.empty(); ++chunk) {
      const std::size_t size = std::min(body.size(), kBodyChunkBytes);
      batch_.Put(kBodies, BodyKey(ref, chunk), body.substr(0, size));
      body.remove_prefix(size);
    }
  }

  // Of a shared body only this message's part goes; whether it was the last is found out elsewhere.
  void DeleteBody(const BodyRef& ref) {
    if (ref.is_shared()) return batch_.Delete(kBodyRefs, BodyRefKey(ref));
    DeleteOwnBody(ref);
  }

  void ReclaimBodies(const std::vector<BodyRef>& bodies) {
    for (const BodyRef& body : bodies) {
      DeleteBody(body);
      if (!body.is_shared()) CountFreed(body);
    }
  }

  // It lies where its message was born, which may be another entity, and live on.
  void CountFreed(const BodyRef& body) {
    freed_bodies_.emplace(std::pair(body.entity, body.number), body);
  }

  // Runs of neighbours, at least half of which go.
  void NoteFreedBodies() {
    const BodyRef* first = nullptr;
    const BodyRef* last = nullptr;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    const auto note = [&] {
      if (bytes < kBodiesWorthReturning) return;
      NoteFreed(kBodies, {BodyRange(*first).begin, BodyRange(*last).end});
    };
    for (const auto& [place, body] : freed_bodies_) {
      const bool joins = first != nullptr && first->entity == body.entity &&
                         body.number.value() - first->number.value() < 2 * (count + 1);
      if (!joins) {
        note();
        first = &body;
        count = bytes = 0;
      }
      last = &body;
      ++count;
      bytes += body.size;
    }
    note();
  }

  void DeleteOwnBody(const BodyRef& ref) {
    if (ref.is_large()) return DeleteChunks(ref);
    const auto chunks =
        static_cast<std::uint32_t>((ref.size + kBodyChunkBytes - 1) / kBodyChunkBytes);
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      batch_.SingleDelete(kBodies, BodyKey(ref, chunk));
    }
  }

  template <typename LockChange>
  static Lock LockOf(const LockChange& change, bool was_deferred) {
    return {change.number, change.until, change.delivery, change.facts, LockOwner(), was_deferred};
  }

  static std::string LockedKey(const Shelf& lane, SequenceNumber number) {
    return DeliveryKey(lane, Standing::kLocked, number);
  }

  template <typename StandingChange>
  void PutStanding(const Shelf& lane, Standing standing, const StandingChange& change) {
    batch_.Put(kDelivery, DeliveryKey(lane, standing, change.number),
               EncodeReturned(change.delivery, change.facts));
  }

  // A fresh message has no row.
  void DeleteStanding(const Shelf& lane, Standing standing, SequenceNumber number) {
    if (standing == Standing::kFresh) return;
    batch_.Delete(kDelivery, DeliveryKey(lane, standing, number));
  }

  // A message of a session or a track waits in it, or is delayed, and did not before. A receiver
  // that waits for it may get it in the same turn; then the row is not written at all.
  void PutOrder(const Shelf& lane, Standing standing, SequenceNumber number,
                const MessageFacts& facts) {
    if (facts.ordering_key().empty()) return;
    new_order_.insert_or_assign(OrderKey(lane, facts.ordering_key(), number), standing);
  }

  // It goes on waiting, in another way.
  void ChangeOrder(const Shelf& lane, Standing standing, SequenceNumber number,
                   const MessageFacts& facts) {
    if (facts.ordering_key().empty()) return;
    std::string key = OrderKey(lane, facts.ordering_key(), number);
    const auto kept = new_order_.find(key);
    if (kept != new_order_.end()) {
      kept->second = standing;
    } else {
      batch_.Put(kOrder, key, EncodeOrder(standing));
    }
  }

  void DeleteOrder(const Shelf& lane, Standing from, SequenceNumber number,
                   const MessageFacts& facts) {
    const bool has_row = from == Standing::kFresh || from == Standing::kReturned ||
                         (from == Standing::kDelayed && !facts.track);
    if (facts.ordering_key().empty() || !has_row) return;
    const std::string key = OrderKey(lane, facts.ordering_key(), number);
    if (new_order_.erase(key) == 0) batch_.Delete(kOrder, key);
  }

  // Of messages that are in no other track. Each by itself, because RocksStore refuses a range in
  // the midst of neighbours.
  void DeleteOrderUnder(const Span& span, const Shelf& lane, std::uint8_t track) {
    MessageFacts facts;
    facts.track = track;
    for (SequenceNumber number = span.first; number <= span.last; number = number.Next()) {
      if (span.Covers(number)) DeleteOrder(lane, Standing::kFresh, number, facts);
    }
  }

  // A session that nobody holds, and none of whose messages have expired, has no row.
  template <typename SessionChange>
  void PutSession(const SessionChange& change) {
    const std::string key = SessionKey(change.entity, change.session);
    if (change.row.is_empty()) return batch_.Delete(kSessions, key);
    batch_.Put(kSessions, key, EncodeSession(change.row));
  }

  void PutScheduled(EntityId entity, const StoredMessage& message, Timestamp time) {
    batch_.Put(kScheduled, ScheduledKey(entity, message.number), messages_.Encode(message));
    batch_.Put(kScheduledTimes, ScheduledTimeKey(entity, {time, message.number}), "");
    PutDue({time, DueKind::kActivate, ScheduledShelf(entity), message.number});
  }

  void DeleteScheduled(EntityId entity, SequenceNumber number, Timestamp time) {
    batch_.Delete(kScheduled, ScheduledKey(entity, number));
    batch_.Delete(kScheduledTimes, ScheduledTimeKey(entity, {time, number}));
    DeleteDue({time, DueKind::kActivate, ScheduledShelf(entity), number});
  }

  void PutDue(const DueHint& hint) { batch_.Put(kDue, DueKey(hint), ""); }
  void DeleteDue(const DueHint& hint) { batch_.Delete(kDue, DueKey(hint)); }

  WriteBatch& batch_;
  MessageEncoder messages_;
  // Rows of `order` that this turn adds, kept back to its end.
  absl::btree_map<std::string, Standing> new_order_;
  // Bodies that go for good, in the order of their rows.
  std::map<std::pair<EntityId, SequenceNumber>, BodyRef> freed_bodies_;
};

}  // namespace

DueTime DueTimeOf(const Change& change) {
  const auto of_lane = [](const Shelf& lane, Timestamp time) {
    return DueTime{lane.entity.bucket(), time};
  };
  const auto of_message = [&of_lane](const Shelf& lane, const StoredMessage& message) {
    const auto hint = ExpiryHint(lane, message.number, message.facts);
    return hint ? of_lane(lane, hint->time) : DueTime();
  };
  if (const auto* enqueued = std::get_if<MessageEnqueued>(&change)) {
    return of_message(enqueued->lane, *enqueued->message);
  }
  if (const auto* activated = std::get_if<MessageActivated>(&change)) {
    return of_message(activated->lane, *activated->message);
  }
  if (const auto* copied = std::get_if<MessageCopied>(&change)) {
    return of_message(copied->lane, *copied->message);
  }
  if (const auto* redriven = std::get_if<MessageRedriven>(&change)) {
    return of_message(redriven->to_lane, *redriven->message);
  }
  if (const auto* forwarded = std::get_if<MessageForwarded>(&change)) {
    if (!forwarded->scheduled_for) return of_message(forwarded->to_lane, *forwarded->message);
    return of_lane(forwarded->to_lane, *forwarded->scheduled_for);
  }
  if (const auto* scheduled = std::get_if<MessageScheduled>(&change)) {
    return {scheduled->entity.bucket(), scheduled->time};
  }
  if (const auto* rescheduled = std::get_if<MessageRescheduled>(&change)) {
    return {rescheduled->entity.bucket(), rescheduled->time};
  }
  if (const auto* delayed = std::get_if<MessageDelayed>(&change)) {
    return of_lane(delayed->lane, delayed->available_at);
  }
  if (const auto* shared = std::get_if<HintShared>(&change)) {
    return of_lane(shared->shared.hint.lane, shared->shared.hint.time);
  }
  if (const auto* unfenced = std::get_if<EntityUnfenced>(&change)) {
    return {unfenced->entity.bucket(), Timestamp()};
  }
  return {};
}

void Encode(const Changes& changes, WriteBatch& batch) {
  Encoder encoder(batch);
  for (const Change& change : changes) std::visit(encoder, change);
  encoder.Finish();
}

WriteBatch EncodeFormat(std::uint64_t version) {
  WriteBatch batch;
  batch.Put(kMeta, kMetaFormat, EncodeMeta(version));
  return batch;
}

void EncodeRootFileDue(bool is_due, WriteBatch& batch) {
  if (!is_due) return batch.Delete(kMeta, kMetaRootFileDue);
  batch.Put(kMeta, kMetaRootFileDue, EncodeMeta(1));
}

void EncodeCommitTime(Bucket bucket, Timestamp now, WriteBatch& batch) {
  batch.Put(kMeta, BucketMetaKey(bucket, kMetaLastCommittedTime), EncodeMeta(MicrosOf(now)));
  batch.NoteTime(now);
}

}  // namespace wharf
