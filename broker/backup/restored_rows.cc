#include "broker/backup/restored_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "broker/core/entities/bucket.h"
#include "broker/core/order/partition.h"
#include "broker/schema/access_loader.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Locks that end in one batch.
constexpr std::size_t kLocksOfBatch = 4096;

KeyRange EveryRow() { return {std::string(), std::string(300, '\xFF')}; }

// In its partition, which stands in the high bits.
SequenceNumber Leap(SequenceNumber next) { return SequenceNumber(RestoredNext(next.value())); }

void LeapNumbersOf(const QueueDescription& queue, LaneCounters& counters) {
  counters.next_number = Leap(counters.next_number);
  if (queue.enable_partitioning && counters.next_numbers.empty()) {
    for (PartitionId partition = 1; partition < kPartitions; ++partition) {
      counters.next_numbers.push_back(FirstNumberOf(partition));
    }
  }
  for (SequenceNumber& next : counters.next_numbers) next = Leap(next);
}

// What it waited for may have been looked at while it was locked.
void HintAgain(const Shelf& shelf, const Lock& lock, WriteBatch& batch) {
  const MessageFacts& facts = lock.facts;
  const bool has_hint = shelf.kind == LaneKind::kMain && facts.expires_at != kNever;
  if (!has_hint || facts.shares_hint) return;
  const DueHint hint{facts.expires_at, DueKind::kExpire, shelf, lock.number};
  batch.Put(IdOf(Table::kDue), DueKey(hint), "");
  batch.Put(IdOf(Table::kMeta), BucketMetaKey(shelf.entity.bucket(), kMetaDueHandledUntil),
            EncodeMeta(0));
}

Change Ended(const Shelf& shelf, const Lock& lock) {
  if (lock.was_deferred) {
    return MessageDeferred{shelf, lock.number, lock.delivery, lock.facts, ReturnCause::kReleased};
  }
  return MessageReturned{shelf, lock.number, lock.delivery, lock.facts, ReturnCause::kReleased};
}

Result<std::map<EntityId, std::string>> LoadFences(const StoreView& view) {
  std::map<EntityId, std::string> fences;
  const auto rows = view.Scan(IdOf(Table::kJobs), EveryRow());
  for (; rows->valid(); rows->Next()) {
    if (KindOfJobKey(rows->key()) != JobKind::kFence) continue;
    const std::optional<EntityId> entity = EntityOfReclaimKey(rows->key());
    if (entity) fences.emplace(*entity, "it was fenced before");
  }
  if (!rows->status().ok()) return rows->status();
  return fences;
}

// Each bucket has all names, and the highest of any counts.
Status NoteHighest(std::string_view record, std::string_view name, std::uint64_t& highest) {
  const Result<std::uint64_t> value = DecodeMeta(name, record);
  if (!value.ok()) return value.status();
  highest = std::max(highest, *value);
  return {};
}

// The lowest message that waits in a session, or is delayed, as it was before.
Result<std::optional<SequenceNumber>> FirstInOrder(const StoreView& view, const Shelf& shelf,
                                                   const std::string& session) {
  const auto rows = view.Scan(IdOf(Table::kOrder), OrderRange(shelf, session, SequenceNumber()));
  if (!rows->status().ok()) return rows->status();
  if (!rows->valid()) return std::optional<SequenceNumber>();
  const std::optional<OrderedMessage> first = MessageOfOrderKey(rows->key());
  return first ? std::optional(first->number) : std::nullopt;
}

}  // namespace

Result<RestoredRows::Report> RestoredRows::Rewrite(const access::KeySource* new_keys) {
  const SpanView view(store_.View());
  const Result<FolderState> folder = LoadFolderState(store_, store_.path());
  if (!folder.ok()) return folder.status();
  report_.last_committed = folder->last_committed;
  format_ = folder->format;
  WHARF_RETURN_IF_ERROR(LeapIds(view));
  WHARF_RETURN_IF_ERROR(ForgetTransactions(view));
  WHARF_RETURN_IF_ERROR(RewriteEntities(view, new_keys));
  return std::move(report_);
}

Status RestoredRows::LeapIds(const StoreView& view) {
  std::uint64_t next_entity = 1;
  std::uint64_t next_job = 1;
  const auto rows = view.Scan(IdOf(Table::kMeta), BucketMetaRange());
  for (; rows->valid(); rows->Next()) {
    const std::optional<BucketMetaName> key = NameOfBucketMetaKey(rows->key());
    if (!key) return {ErrorCode::kGeneralError, "a name in the table meta is damaged"};
    if (key->name == kMetaNextEntityNumber) {
      WHARF_RETURN_IF_ERROR(NoteHighest(rows->value(), key->name, next_entity));
    }
    if (key->name == kMetaNextJobId) {
      WHARF_RETURN_IF_ERROR(NoteHighest(rows->value(), key->name, next_job));
    }
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  WriteBatch batch;
  const auto put = [&batch](std::string_view name, std::uint64_t next) {
    batch.Put(IdOf(Table::kMeta), BucketMetaKey(Bucket(), name), EncodeMeta(RestoredNext(next)));
  };
  put(kMetaNextEntityNumber, next_entity);
  put(kMetaNextJobId, next_job);
  return Commit(batch);
}

// What an open one was to do is in no backup.
Status RestoredRows::ForgetTransactions(const StoreView& view) {
  const auto rows = view.Scan(IdOf(Table::kOutcomes), EveryRow());
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const KeyRange open = OpenTransactionRange(static_cast<Bucket>(bucket));
    for (rows->Seek(open.begin); rows->valid() && rows->key() < open.end; rows->Next()) {
      ++report_.rolled_back;
    }
    WHARF_RETURN_IF_ERROR(rows->status());
  }
  WriteBatch batch;
  const KeyRange every = EveryRow();
  batch.DeleteRange(IdOf(Table::kOutcomes), every.begin, every.end);
  return Commit(batch);
}

Status RestoredRows::RewriteEntities(const StoreView& view, const access::KeySource* new_keys) {
  const Result<std::map<EntityId, std::string>> fences = LoadFences(view);
  if (!fences.ok()) return fences.status();
  std::map<EntityId, std::string> paths;
  const auto entities = view.Scan(IdOf(Table::kCatalog), EveryRow());
  for (; entities->valid(); entities->Next()) {
    Result<EntityRecord> record = DecodeEntity(entities->value());
    if (!record.ok()) return record.status();
    const auto fence = fences->find(record->id);
    if (new_keys != nullptr) paths.emplace(record->id, record->description.name);
    WHARF_RETURN_IF_ERROR(
        RewriteEntity(view, *std::move(record), fence == fences->end() ? "" : fence->second));
    ++report_.entities;
  }
  WHARF_RETURN_IF_ERROR(entities->status());
  return new_keys == nullptr ? Status() : RenewKeys(view, paths, *new_keys);
}

Status RestoredRows::RewriteEntity(const StoreView& view, EntityRecord record,
                                   const std::string& fence) {
  Result<Queue::Image> queue = LoadQueue(view, std::move(record), fence);
  if (!queue.ok()) return queue.status();
  if (!queue->fence.empty()) return LeapNumbers(view, queue->record);
  const EntityId id = queue->record.id;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    Lane::Image& lane = kind == LaneKind::kMain ? queue->main : queue->dead_letter;
    const Shelf shelf(id, kind, lane.counters.generation);
    WHARF_RETURN_IF_ERROR(EndSessions(view, shelf, lane));
    const bool has_locks = !lane.locked.empty();
    WHARF_RETURN_IF_ERROR(EndLocks(shelf, lane));
    if (kind == LaneKind::kMain) LeapNumbersOf(queue->record.description, lane.counters);
    if (kind == LaneKind::kMain || has_locks) {
      WHARF_RETURN_IF_ERROR(PutCounters({id, kind}, lane.counters));
    }
  }
  return {};
}

Status RestoredRows::LeapNumbers(const StoreView& view, const EntityRecord& record) {
  const LaneId main{record.id, LaneKind::kMain};
  const auto row = view.Get(IdOf(Table::kCounters), CountersKey(main));
  if (row.status().is_damage()) return {};
  if (!row.ok()) return row.status();
  if (!*row) return {};
  Result<LaneCounters> counters = DecodeCounters(**row);
  if (!counters.ok()) return {};
  LeapNumbersOf(record.description, *counters);
  return PutCounters(main, *std::move(counters));
}

Status RestoredRows::EndLocks(const Shelf& shelf, Lane::Image& lane) {
  for (std::size_t done = 0; done < lane.locked.size();) {
    Changes changes;
    WriteBatch batch;
    const std::size_t end = std::min(done + kLocksOfBatch, lane.locked.size());
    for (; done < end; ++done) {
      const Lock& lock = lane.locked[done].lock;
      changes.push_back(Ended(shelf, lock));
      --lane.counters.locked;
      ++(lock.was_deferred ? lane.counters.deferred : lane.counters.returned);
      HintAgain(shelf, lock, batch);
    }
    Encode(changes, batch);
    WHARF_RETURN_IF_ERROR(Commit(batch));
    report_.ended_locks += changes.size();
  }
  return {};
}

// Those that were held are offered again, from the lowest message on that may be in them.
Status RestoredRows::EndSessions(const StoreView& view, const Shelf& shelf,
                                 const Lane::Image& lane) {
  std::map<std::string, SequenceNumber> returns;
  for (const Lane::LockedRow& row : lane.locked) {
    if (row.lock.was_deferred) continue;
    const auto [first, is_new] = returns.emplace(row.lock.facts.session_id, row.lock.number);
    if (!is_new) first->second = std::min(first->second, row.lock.number);
  }
  Changes changes;
  for (const LoadedSession& session : lane.sessions) {
    if (session.row.token.is_zero()) continue;
    SessionRow row;
    row.expired_through = session.row.expired_through;
    changes.push_back(SessionUnlocked{shelf.entity, session.id, row, SessionEndCause::kReleased});
    Result<std::optional<SequenceNumber>> first = FirstInOrder(view, shelf, session.id);
    if (!first.ok()) return first.status();
    const auto returned = returns.find(session.id);
    if (returned != returns.end()) {
      first = std::optional(std::min(first->value_or(returned->second), returned->second));
    }
    if (*first) changes.push_back(SessionOffered{shelf, **first, session.id});
    ++report_.ended_sessions;
  }
  if (changes.empty()) return {};
  WriteBatch batch;
  Encode(changes, batch);
  return Commit(batch);
}

Status RestoredRows::PutCounters(const LaneId& lane, LaneCounters counters) {
  WriteBatch batch;
  Encode({CountersChanged{lane, Boxed<LaneCounters>(std::move(counters))}}, batch);
  return Commit(batch);
}

// The next start writes the connection string of the first rule anew, when it knows where it is.
Status RestoredRows::RenewKeys(const StoreView& view, const std::map<EntityId, std::string>& paths,
                               const access::KeySource& keys) {
  std::vector<AccessRuleSet> rules;
  WHARF_RETURN_IF_ERROR(LoadAccessRules(view, rules));
  if (rules.empty()) return {};
  Changes changes;
  for (const AccessRuleSet& each : rules) {
    access::AccessRule rule = each.rule->WithKey(access::KeySlot::kPrimary, access::DrawKey(keys))
                                  .WithKey(access::KeySlot::kSecondary, access::DrawKey(keys));
    if (!keeps_replaced_keys()) rule = rule.Remembering({});
    const auto path = paths.find(each.entity);
    const bool is_of_gone = each.entity != EntityId() && path == paths.end();
    if (!is_of_gone) {
      report_.new_keys.push_back({path == paths.end() ? std::string() : path->second, rule});
    }
    changes.push_back(AccessRuleSet{each.entity, Boxed<access::AccessRule>(std::move(rule))});
  }
  WriteBatch batch;
  Encode(changes, batch);
  EncodeRootFileDue(true, batch);
  return Commit(batch);
}

Status RestoredRows::Commit(const WriteBatch& batch) {
  return store_.Write({&batch, 1}, RocksStore::Sync::kNo);
}

}  // namespace wharf
