#include "broker/schema/loader.h"

#include <algorithm>

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Every possible key of a table.
KeyRange WholeTable() { return {std::string(), std::string(300, '\xFF')}; }

Result<std::optional<std::uint64_t>> ReadMeta(const StoreView& view, std::string_view name) {
  Result<std::optional<std::string>> record = view.Get(IdOf(Table::kMeta), name);
  if (!record.ok()) return record.status();
  if (!*record) return std::optional<std::uint64_t>();
  Result<std::uint64_t> value = DecodeMeta(name, **record);
  if (!value.ok()) return value.status();
  return std::optional(*value);
}

Result<Lane::Image> LoadLane(const StoreView& view, LaneId lane) {
  Lane::Image image;
  Result<std::optional<std::string>> counters = view.Get(IdOf(Table::kCounters), CountersKey(lane));
  if (!counters.ok()) return counters.status();
  if (*counters) {
    Result<LaneCounters> decoded = DecodeCounters(**counters);
    if (!decoded.ok()) return decoded.status();
    image.counters = *decoded;
  }
  if (image.counters.locked == 0) return image;
  const Shelf shelf(lane.entity, lane.kind, image.counters.generation);
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, Standing::kLocked, SequenceNumber()));
  for (; rows->valid(); rows->Next()) {
    const auto number = NumberOfDeliveryKey(rows->key());
    if (!number) return Status(ErrorCode::kGeneralError, "a key of the locks is damaged");
    Result<Lane::LockedRow> row = DecodeLocked(*number, rows->value());
    if (!row.ok()) return row.status();
    image.locked.push_back(*std::move(row));
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  return image;
}

// Of a queue with sessions: those that somebody holds, or that have expired.
Status LoadSessions(const StoreView& view, EntityId entity, Lane::Image& lane) {
  const auto rows = view.Scan(IdOf(Table::kSessions), SessionRange(entity, std::nullopt));
  absl::flat_hash_set<std::string> held;
  for (; rows->valid(); rows->Next()) {
    std::optional<std::string> id = SessionOfKey(rows->key());
    if (!id) return {ErrorCode::kGeneralError, "a key of the sessions is damaged"};
    Result<SessionRow> row = DecodeSession(rows->value());
    if (!row.ok()) return row.status();
    if (!row->token.is_zero()) held.insert(*id);
    lane.sessions.push_back({*std::move(id), *row});
  }
  WHARF_RETURN_IF_ERROR(rows->status());
  for (const Lane::LockedRow& row : lane.locked) {
    if (held.contains(row.lock.facts.session_id)) continue;
    return {ErrorCode::kGeneralError,
            fmt::format("message {} is locked in a session that nobody holds",
                        row.lock.number.value())};
  }
  return {};
}

Result<Queue::Image> LoadQueue(const StoreView& view, EntityRecord record) {
  Queue::Image image;
  const EntityId id = record.id;
  image.record = std::move(record);
  Result<Lane::Image> main = LoadLane(view, {id, LaneKind::kMain});
  if (!main.ok()) return main.status();
  Result<Lane::Image> dead_letter = LoadLane(view, {id, LaneKind::kDeadLetter});
  if (!dead_letter.ok()) return dead_letter.status();
  image.main = *std::move(main);
  if (image.record.description.requires_session) {
    WHARF_RETURN_IF_ERROR(LoadSessions(view, id, image.main));
  }
  // One that was never used has no counters yet; it counts as used when it was made (RTP-9).
  LaneCounters& counters = image.main.counters;
  counters.accessed_at = std::max(counters.accessed_at, image.record.created_at);
  counters.active_at = std::max(counters.active_at, image.record.created_at);
  image.dead_letter = *std::move(dead_letter);
  return image;
}

// Calls `take` with the key and value of every job of one kind.
template <typename Take>
Status ForEachJob(const StoreView& view, JobKind kind, Take take) {
  const auto rows = view.Scan(IdOf(Table::kJobs), JobRange(kind));
  for (; rows->valid(); rows->Next()) WHARF_RETURN_IF_ERROR(take(rows->key(), rows->value()));
  return rows->status();
}

Status DamagedJob() { return {ErrorCode::kGeneralError, "a key of the jobs is damaged"}; }

Status LoadReclaims(const StoreView& view, BrokerImage& image) {
  const auto into = [](std::vector<EntityId>& entities) {
    return [&entities](std::string_view key, std::string_view) -> Status {
      const auto id = IdOfJobKey(key);
      if (!id) return DamagedJob();
      entities.emplace_back(*id);
      return {};
    };
  };
  WHARF_RETURN_IF_ERROR(ForEachJob(view, JobKind::kReclaimEntity, into(image.entities_to_reclaim)));
  WHARF_RETURN_IF_ERROR(
      ForEachJob(view, JobKind::kReclaimScheduled, into(image.schedules_to_reclaim)));
  return ForEachJob(view, JobKind::kReclaimShelf,
                    [&image](std::string_view key, std::string_view) -> Status {
                      const auto shelf = ShelfOfJobKey(key);
                      if (!shelf) return DamagedJob();
                      image.shelves_to_reclaim.push_back(*shelf);
                      return {};
                    });
}

Status LoadJobs(const StoreView& view, BrokerImage& image) {
  const Result<std::optional<std::uint64_t>> next_id = ReadMeta(view, kMetaNextJobId);
  if (!next_id.ok()) return next_id.status();
  if (*next_id) image.next_job_id = JobId(**next_id);
  return ForEachJob(view, JobKind::kJob,
                    [&image](std::string_view key, std::string_view record) -> Status {
                      const auto id = IdOfJobKey(key);
                      if (!id) return DamagedJob();
                      Result<JobRecord> job = DecodeJob(JobId(*id), record);
                      if (!job.ok()) return job.status();
                      image.jobs.push_back(*std::move(job));
                      return {};
                    });
}

// Loose or released ones; `body_of` takes the key apart.
Status LoadBodies(const StoreView& view, JobKind kind,
                  std::optional<BodyRef> (*body_of)(std::string_view key),
                  std::vector<BodyRef>& bodies) {
  return ForEachJob(view, kind, [&](std::string_view key, std::string_view record) -> Status {
    std::optional<BodyRef> body = body_of(key);
    if (!body) return {ErrorCode::kGeneralError, "a key of the loose bodies is damaged"};
    const Result<std::uint64_t> size = DecodeLooseBody(record);
    if (!size.ok()) return size.status();
    body->size = *size;
    bodies.push_back(*body);
    return {};
  });
}

Status LoadRules(const StoreView& view, std::vector<RuleAdded>& rules) {
  const auto rows = view.Scan(IdOf(Table::kRules), WholeTable());
  for (; rows->valid(); rows->Next()) {
    const std::optional<EntityId> subscription = SubscriptionOfRuleKey(rows->key());
    if (!subscription) return {ErrorCode::kGeneralError, "a key of the rules is damaged"};
    Result<RuleDescription> rule = DecodeRule(rows->value());
    if (!rule.ok()) return rule.status();
    if (rows->key() != RuleKey(*subscription, rule->name)) {
      return {ErrorCode::kGeneralError, "a rule stands under the name of another one"};
    }
    rules.push_back({*subscription, *std::move(rule)});
  }
  return rows->status();
}

Status LoadTransactions(const StoreView& view, std::vector<TransactionRecord>& transactions) {
  const auto rows = view.Scan(IdOf(Table::kOutcomes), OpenTransactionRange());
  for (; rows->valid(); rows->Next()) {
    const std::optional<TransactionId> id = TransactionOfKey(rows->key());
    if (!id) return {ErrorCode::kGeneralError, "a key of the transactions is damaged"};
    Result<TransactionRecord> record = DecodeTransaction(*id, rows->value());
    if (!record.ok()) return record.status();
    transactions.push_back(*std::move(record));
  }
  return rows->status();
}

}  // namespace

Result<FolderState> LoadFolderState(const Store& store) {
  const auto view = store.View();
  FolderState state;
  Result<std::optional<std::uint64_t>> format = ReadMeta(*view, kMetaFormat);
  if (!format.ok()) return format.status();
  state.is_new = !*format;
  if (*format && **format > kFormatVersion) {
    return Status(ErrorCode::kGeneralError,
                  fmt::format("the data folder has format {}, this version reads up to {}; start a "
                              "newer wharfd",
                              **format, kFormatVersion));
  }
  Result<std::optional<std::uint64_t>> time = ReadMeta(*view, kMetaLastCommittedTime);
  if (!time.ok()) return time.status();
  if (*time) state.last_committed = Timestamp(Duration(static_cast<std::int64_t>(**time)));
  return state;
}

Result<BrokerImage> LoadBroker(const Store& store) {
  const auto view = store.View();
  BrokerImage image;
  Result<std::optional<std::uint64_t>> next_id = ReadMeta(*view, kMetaNextEntityId);
  if (!next_id.ok()) return next_id.status();
  if (*next_id) image.catalog.next_id = EntityId(**next_id);

  const auto entities = view->Scan(IdOf(Table::kCatalog), WholeTable());
  for (; entities->valid(); entities->Next()) {
    Result<EntityRecord> record = DecodeEntity(entities->value());
    if (!record.ok()) return record.status();
    Result<Queue::Image> queue = LoadQueue(*view, *std::move(record));
    if (!queue.ok()) return queue.status();
    image.catalog.queues.push_back(*std::move(queue));
  }
  WHARF_RETURN_IF_ERROR(entities->status());

  WHARF_RETURN_IF_ERROR(LoadReclaims(*view, image));
  WHARF_RETURN_IF_ERROR(LoadJobs(*view, image));
  const Result<std::optional<std::uint64_t>> committed = ReadMeta(*view, kMetaLastCommittedTime);
  if (!committed.ok()) return committed.status();
  if (*committed)
    image.last_committed = Timestamp(Duration(static_cast<std::int64_t>(**committed)));
  const Result<std::optional<std::uint64_t>> handled = ReadMeta(*view, kMetaDueHandledUntil);
  if (!handled.ok()) return handled.status();
  if (*handled) image.due_handled_until = Timestamp(Duration(static_cast<std::int64_t>(**handled)));
  WHARF_RETURN_IF_ERROR(LoadTransactions(*view, image.open_transactions));
  WHARF_RETURN_IF_ERROR(
      LoadBodies(*view, JobKind::kLooseBody, BodyOfLooseBodyKey, image.loose_bodies));
  WHARF_RETURN_IF_ERROR(
      LoadBodies(*view, JobKind::kReleasedBody, BodyOfReleasedBodyKey, image.released_bodies));
  WHARF_RETURN_IF_ERROR(LoadRules(*view, image.rules));
  return image;
}

}  // namespace wharf
