#include "broker/schema/loader.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/entities/bucket.h"
#include "broker/schema/access_loader.h"
#include "broker/schema/key_walk.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/shelf_spans.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

// Since then rows are what they are; what comes later is about the folder (records.h).
constexpr std::uint64_t kFormatOfTheseRows = 5;

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

Timestamp TimeOf(std::uint64_t micros) {
  return Timestamp(Duration(static_cast<std::int64_t>(micros)));
}

// What is known of a bucket apart from its entities.
struct BucketState {
  Bucket bucket{};
  std::uint64_t next_entity_number = 0;
  JobId next_job_id{};
  Timestamp last_committed{};
  Timestamp due_handled_until{};
};

Status TakeName(BucketState& state, std::string_view name, std::string_view row) {
  const Result<std::uint64_t> value = DecodeMeta(name, row);
  if (!value.ok()) return value.status();
  if (name == kMetaNextEntityNumber) state.next_entity_number = *value;
  if (name == kMetaNextJobId) state.next_job_id = JobId(*value);
  if (name == kMetaLastCommittedTime) state.last_committed = TimeOf(*value);
  if (name == kMetaDueHandledUntil) state.due_handled_until = TimeOf(*value);
  return {};
}

// Those of which anything is known, in their order.
Result<std::vector<BucketState>> LoadBuckets(const StoreView& view) {
  std::vector<BucketState> buckets;
  const auto rows = view.Scan(IdOf(Table::kMeta), BucketMetaRange());
  for (; rows->valid(); rows->Next()) {
    const std::optional<BucketMetaName> key = NameOfBucketMetaKey(rows->key());
    if (!key) return Status(ErrorCode::kGeneralError, "a name in the table meta is damaged");
    const bool is_next = buckets.empty() || buckets.back().bucket != key->bucket;
    if (is_next) buckets.push_back({.bucket = key->bucket});
    if (Status bad = TakeName(buckets.back(), key->name, rows->value()); !bad.ok()) return bad;
  }
  if (Status failed = rows->status(); !failed.ok()) return failed;
  return buckets;
}

// Numbers of entities and ids of jobs go on behind the highest of any bucket.
Status LoadBuckets(const StoreView& view, BrokerImage& image) {
  const Result<std::vector<BucketState>> buckets = LoadBuckets(view);
  if (!buckets.ok()) return buckets.status();
  for (const BucketState& each : *buckets) {
    std::uint64_t& next_number = image.catalog.next_number;
    next_number = std::max(next_number, each.next_entity_number);
    image.next_job_id = std::max(image.next_job_id, each.next_job_id);
    image.last_committed = std::max(image.last_committed, each.last_committed);
    if (each.next_entity_number == 0) continue;
    image.due_handled.push_back({each.bucket, each.due_handled_until});
  }
  return {};
}

// Rows of one entity that do not agree. The code tells them from a store that cannot be read.
Status Contradiction(std::string what) { return {ErrorCode::kInvalidOperation, std::move(what)}; }

Status LoadCounters(const StoreView& view, LaneId lane, LaneCounters& counters) {
  const auto row = view.Get(IdOf(Table::kCounters), CountersKey(lane));
  if (row.status().is_damage()) {
    return Contradiction("its counters cannot be read: " + row.status().message());
  }
  if (!row.ok()) return row.status();
  if (!*row) return {};
  const Result<LaneCounters> decoded = DecodeCounters(**row);
  if (!decoded.ok()) return Contradiction("the row of its counters cannot be read");
  counters = *decoded;
  // Where nothing is, nothing has a body.
  if (counters.messages() == 0) counters.knows_separate_bodies = true;
  if (counters.fresh == 0 || counters.cursor < counters.next_number) return {};
  if (!counters.next_numbers.empty()) return {};
  return Contradiction("messages are counted behind the last number that was given");
}

// Whether a message that has no lock that can be read stands elsewhere.
Result<bool> StandsElsewhere(const StoreView& view, const Shelf& shelf,
                             const StoredMessage& message) {
  for (const Standing standing : kStandingsInRows) {
    if (standing == Standing::kLocked) continue;
    const auto row = view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, standing, message.number));
    if (!row.ok() && !row.status().is_damage()) return row.status();
    if (row.ok() && *row) return true;
  }
  if (message.facts.ordering_key().empty()) return false;
  const auto row =
      view.Get(IdOf(Table::kOrder), OrderKey(shelf, message.facts.ordering_key(), message.number));
  if (!row.ok() && !row.status().is_damage()) return row.status();
  return row.ok() && *row;
}

// Each message that was locked has its own row, too.
Status FindLostLocks(const StoreView& view, const Shelf& shelf, SequenceNumber from,
                     SequenceNumber until, std::vector<UnreadableMessage>& lost) {
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(shelf, from, until));
  for (; rows->valid(); rows->Next()) {
    const auto number = NumberOfMessageKey(rows->key());
    if (!number) return DamagedKey();
    const auto lock =
        view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, Standing::kLocked, *number));
    if (!lock.status().is_damage()) continue;
    const Result<StoredMessage> message = DecodeMessage(*number, rows->value());
    if (!message.ok()) continue;
    const Result<bool> stands_elsewhere = StandsElsewhere(view, shelf, *message);
    if (!stands_elsewhere.ok()) return stands_elsewhere.status();
    if (*stands_elsewhere) continue;
    lost.push_back({.number = *number,
                    .reason = "its lock cannot be read: " + lock.status().message(),
                    .standing = Standing::kLocked,
                    .facts = message->facts,
                    .is_guess = true});
  }
  return rows->status().is_damage() ? Status::Ok() : rows->status();
}

// Past blocks that cannot be read: those locks end. `search_end`: from there on messages were never
// delivered, but for some that were taken by their numbers; these are found when they are read.
Status ReadLocks(const StoreView& view, const Shelf& shelf, SequenceNumber search_end,
                 Lane::Image& image) {
  const auto key_of = [&shelf](SequenceNumber number) {
    return DeliveryKey(shelf, Standing::kLocked, number);
  };
  const auto rows =
      view.Scan(IdOf(Table::kDelivery), DeliveryRange(shelf, Standing::kLocked, SequenceNumber()));
  SequenceNumber next;
  bool has_lost = false;
  for (;;) {
    for (; rows->valid(); rows->Next()) {
      const auto number = NumberOfDeliveryKey(rows->key());
      Result<Lane::LockedRow> row =
          number ? DecodeLocked(*number, rows->value()) : Result<Lane::LockedRow>(DamagedKey());
      if (!row.ok()) return Contradiction("the row of a lock cannot be read");
      image.locked.push_back(*std::move(row));
      next = number->Next();
    }
    if (!HasMetDamage(*rows) || next == kNumberEnd) break;
    const SequenceNumber end = PassDamage(*rows, key_of, next, kNumberEnd);
    if (next < search_end) {
      WHARF_RETURN_IF_ERROR(
          FindLostLocks(view, shelf, next, std::min(end, search_end), image.lost_locks));
    }
    next = end;
    has_lost = true;
  }
  if (!rows->status().is_damage()) WHARF_RETURN_IF_ERROR(rows->status());
  if (has_lost) {
    image.counters.locked = static_cast<std::int64_t>(image.locked.size());
    image.counters.is_uncertain = true;
  }
  return {};
}

// In a lane with an order of its own, and in a dead-letter queue, every message has a row that
// tells a fresh one from one that was locked.
bool HasCursor(const QueueDescription& queue, LaneKind kind) {
  return kind == LaneKind::kMain && !queue.requires_session && !queue.enable_priority &&
         !queue.enable_partitioning;
}

// A lane that is empty is believed without a look at its locks.
Status LoadLocks(const StoreView& view, const QueueDescription& queue, LaneId lane,
                 Lane::Image& image) {
  if (image.counters.messages() == 0) return {};
  const SequenceNumber search_end =
      HasCursor(queue, lane.kind) ? image.counters.cursor : kNumberEnd;
  WHARF_RETURN_IF_ERROR(
      ReadLocks(view, Shelf(lane.entity, lane.kind, image.counters.generation), search_end, image));
  absl::flat_hash_set<LockToken> tokens;
  for (const Lane::LockedRow& row : image.locked) {
    if (!tokens.insert(row.token).second) return Contradiction("two locks have the same token");
  }
  const auto found = static_cast<std::int64_t>(image.locked.size());
  if (found == image.counters.locked) return {};
  return Contradiction(
      fmt::format("{} locks are counted, and there are {}", image.counters.locked, found));
}

// Which shelves have spans: few. The others need not be asked one by one.
class SpanShelves {
 public:
  Status Load(const StoreView& view) {
    const auto rows = view.Scan(IdOf(Table::kSpans), WholeTable());
    while (rows->valid()) {
      const auto shelf = ShelfOfKey(rows->key());
      if (!shelf) return {ErrorCode::kGeneralError, "a key of the spans is damaged"};
      shelves_.insert(*shelf);
      rows->Seek(ShelfRange(*shelf).end);
    }
    is_whole_ = rows->status().ok();
    return rows->status().is_damage() ? Status::Ok() : rows->status();
  }

  bool MayHave(const Shelf& shelf) const { return !is_whole_ || shelves_.contains(shelf); }

 private:
  std::set<Shelf> shelves_;
  bool is_whole_ = false;
};

// Messages that have not been sent yet must be under none.
Status LoadSpans(const StoreView& view, const Shelf& shelf, Lane::Image& image) {
  const Result<ShelfSpans> spans = ReadSpans(view, shelf);
  if (!spans.ok()) return spans.status();
  for (const Span& span : spans->all()) {
    const PartitionId partition = PartitionOf(span.last);
    const auto& others = image.counters.next_numbers;
    const bool is_known = partition == 0 || partition <= others.size();
    const bool was_sent = is_known && span.last < (partition == 0 ? image.counters.next_number
                                                                  : others[partition - 1U]);
    if (!was_sent) return Contradiction("a span covers messages that were never sent");
  }
  image.spans = spans->all();
  return {};
}

Status LoadLane(const StoreView& view, const QueueDescription& queue, LaneId lane,
                const SpanShelves& with_spans, Lane::Image& image) {
  WHARF_RETURN_IF_ERROR(LoadCounters(view, lane, image.counters));
  const Shelf shelf(lane.entity, lane.kind, image.counters.generation);
  // Elsewhere nothing is counted out together.
  const bool may_have_spans = lane.kind == LaneKind::kMain && !queue.requires_session;
  if (may_have_spans && with_spans.MayHave(shelf)) {
    WHARF_RETURN_IF_ERROR(LoadSpans(view, shelf, image));
  }
  return LoadLocks(view, queue, lane, image);
}

// Of a queue with sessions: those that a receiver holds, or that have expired. What stands in a
// damaged block is lost; the messages that are locked in such a session tell that it was held.
Status LoadSessions(const StoreView& view, EntityId entity, Lane::Image& lane) {
  KeyWalk rows(view, Table::kSessions, SessionRange(entity, std::nullopt));
  absl::flat_hash_set<std::string> held;
  for (;; rows.Next()) {
    const Result<bool> has_next = rows.HasNext();
    if (!has_next.ok()) return has_next.status();
    if (!*has_next) break;
    std::optional<std::string> id = SessionOfKey(rows.key());
    const Result<SessionRow> row = DecodeSession(rows.value());
    if (!id || !row.ok()) return Contradiction("the row of a session cannot be read");
    if (!row->token.is_zero()) held.insert(*id);
    lane.sessions.push_back({*std::move(id), *row});
  }
  for (const Lane::LockedRow& row : lane.locked) {
    if (held.contains(row.lock.facts.session_id)) continue;
    return Contradiction(fmt::format("message {} is locked in a session that nobody holds",
                                     row.lock.number.value()));
  }
  return {};
}

Status LoadLanes(const StoreView& view, const SpanShelves& with_spans, Queue::Image& image) {
  const EntityId id = image.record.id;
  const QueueDescription& queue = image.record.description;
  WHARF_RETURN_IF_ERROR(LoadLane(view, queue, {id, LaneKind::kMain}, with_spans, image.main));
  Status dead_letter =
      LoadLane(view, queue, {id, LaneKind::kDeadLetter}, with_spans, image.dead_letter);
  if (IsContradiction(dead_letter)) {
    return Contradiction("in its dead-letter queue " + dead_letter.message());
  }
  WHARF_RETURN_IF_ERROR(dead_letter);
  if (!queue.requires_session) return {};
  return LoadSessions(view, id, image.main);
}

Status DamagedJob() { return {ErrorCode::kGeneralError, "a key of the jobs is damaged"}; }

template <typename Row>
Status AddJob(std::vector<Row>& rows, std::optional<Row> row) {
  if (!row) return DamagedJob();
  rows.push_back(*std::move(row));
  return {};
}

Status AddJob(std::vector<JobRecord>& jobs, std::string_view key, std::string_view record) {
  const std::optional<JobId> id = IdOfJobKey(key);
  if (!id) return DamagedJob();
  Result<JobRecord> job = DecodeJob(*id, record);
  if (!job.ok()) return job.status();
  if (key != JobKey(job->entity.bucket(), *id)) return DamagedJob();
  jobs.push_back(*std::move(job));
  return {};
}

Status AddBody(std::vector<BodyRef>& bodies, std::optional<BodyRef> body, std::string_view record) {
  if (!body) return {ErrorCode::kGeneralError, "a key of the loose bodies is damaged"};
  const Result<std::uint64_t> size = DecodeLooseBody(record);
  if (!size.ok()) return size.status();
  body->size = *size;
  bodies.push_back(*body);
  return {};
}

// The rows of a bucket follow each other.
Status NoteReleasedBody(std::vector<Bucket>& buckets, const std::optional<BodyRef>& body) {
  if (!body) return {ErrorCode::kGeneralError, "a key of the released bodies is damaged"};
  const Bucket bucket = body->entity.bucket();
  if (buckets.empty() || buckets.back() != bucket) buckets.push_back(bucket);
  return {};
}

// What stands in its place, if the reason cannot be read, is one, too.
Status AddFence(std::map<EntityId, std::string>& fences, std::optional<EntityId> entity,
                std::string_view record) {
  if (!entity) return DamagedJob();
  Result<std::string> reason = DecodeFence(record);
  fences.emplace(*entity, reason.ok() ? *std::move(reason) : "it was fenced before");
  return {};
}

Status TakeJobRow(std::string_view key, std::string_view record, BrokerImage& image) {
  const std::optional<JobKind> kind = KindOfJobKey(key);
  if (!kind) return DamagedJob();
  switch (*kind) {
    case JobKind::kReclaimEntity:
      return AddJob(image.entities_to_reclaim, EntityOfReclaimKey(key));
    case JobKind::kFence:
      return AddFence(image.fences, EntityOfReclaimKey(key), record);
    case JobKind::kReclaimScheduled:
      return AddJob(image.schedules_to_reclaim, EntityOfReclaimKey(key));
    case JobKind::kReclaimShelf:
      return AddJob(image.shelves_to_reclaim, ShelfOfReclaimKey(key));
    case JobKind::kJob:
      return AddJob(image.jobs, key, record);
    case JobKind::kLooseBody:
      return AddBody(image.loose_bodies, BodyOfLooseBodyKey(key), record);
    case JobKind::kReleasedBody:
      return NoteReleasedBody(image.buckets_with_released_bodies, BodyOfReleasedBodyKey(key));
  }
  return DamagedJob();
}

// Each bucket has all kinds, so the whole table is read once.
Status LoadJobs(const StoreView& view, BrokerImage& image) {
  const auto rows = view.Scan(IdOf(Table::kJobs), WholeTable());
  for (; rows->valid(); rows->Next()) {
    WHARF_RETURN_IF_ERROR(TakeJobRow(rows->key(), rows->value(), image));
  }
  return rows->status();
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

// Of a log that has no row yet all is at the beginning.
Status LoadEventLog(const StoreView& view, const EntityRecord& entity, BrokerImage& image) {
  if (!entity.description.has_event_log()) return {};
  EventLogImage log{entity.id, EventLogHead()};
  const auto record = view.Get(IdOf(Table::kEvents), EventHeadKey(entity.id));
  if (!record.ok() && !record.status().is_damage()) return record.status();
  if (!record.ok()) {
    log.head = std::nullopt;
  } else if (*record) {
    log.head = DecodeEventHead(**record);
  }
  image.event_logs.push_back(log);
  return {};
}

Status LoadRootFile(const StoreView& view, BrokerImage& image) {
  const Result<std::optional<std::uint64_t>> due = ReadMeta(view, kMetaRootFileDue);
  if (!due.ok()) return due.status();
  image.is_root_file_due = due->has_value();
  return {};
}

// Those that ended stand between the open ones of two buckets, and are passed over. A search
// forgets why the one before it failed.
Status LoadTransactions(const StoreView& view, std::vector<TransactionRecord>& transactions) {
  const auto rows = view.Scan(IdOf(Table::kOutcomes), WholeTable());
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const KeyRange open = OpenTransactionRange(static_cast<Bucket>(bucket));
    for (rows->Seek(open.begin); rows->valid() && rows->key() < open.end; rows->Next()) {
      const std::optional<TransactionId> id = TransactionOfKey(rows->key());
      if (!id) return {ErrorCode::kGeneralError, "a key of the transactions is damaged"};
      Result<TransactionRecord> record = DecodeTransaction(*id, rows->value());
      if (!record.ok()) return record.status();
      transactions.push_back(*std::move(record));
    }
    WHARF_RETURN_IF_ERROR(rows->status());
  }
  return {};
}

// Rows of another format are read by none of the functions above.
Status CheckFormat(std::uint64_t format, std::string_view folder) {
  if (format >= kOldestFormatVersion && format <= kFormatVersion) return {};
  const std::string_view advice =
      format > kFormatVersion
          ? "start a newer wharfd"
          : "let the wharfd that wrote it deliver what is in it, and name an empty folder here";
  return {
      ErrorCode::kGeneralError,
      fmt::format("the data folder {} has format {}, and this wharfd reads formats {} to {}; {}",
                  folder, format, kOldestFormatVersion, kFormatVersion, advice)};
}

// What its name and the marks say of its id.
Status CheckId(const EntityRecord& record, std::uint64_t next_number) {
  const EntityId id = record.id;
  const bool is_right = id.bucket() == BucketOfPath(record.description.name) && id.number() > 0 &&
                        id.number() < next_number;
  if (is_right) return {};
  return {ErrorCode::kGeneralError,
          fmt::format("the id of '{:.64}' is damaged", record.description.name)};
}

Result<Queue::Image> LoadQueue(const StoreView& view, EntityRecord record,
                               const SpanShelves& with_spans, std::string fence) {
  Queue::Image image;
  image.record = std::move(record);
  Status whole = LoadLanes(view, with_spans, image);
  if (!whole.ok() && !IsContradiction(whole)) return whole;
  if (!whole.ok() && fence.empty()) fence = whole.message();
  image.fence = std::move(fence);
  if (!image.fence.empty()) {
    for (Lane::Image* lane : {&image.main, &image.dead_letter}) {
      lane->locked.clear();
      lane->lost_locks.clear();
      lane->sessions.clear();
      lane->spans.clear();
    }
  }
  // One that was never used has no counters yet; it counts as used when it was made (RTP-9).
  LaneCounters& counters = image.main.counters;
  counters.accessed_at = std::max(counters.accessed_at, image.record.created_at);
  counters.active_at = std::max(counters.active_at, image.record.created_at);
  return image;
}

}  // namespace

Result<Queue::Image> LoadQueue(const StoreView& view, EntityRecord record, std::string fence) {
  return LoadQueue(view, std::move(record), SpanShelves(), std::move(fence));
}

std::vector<LostLock> TakeLostLocks(Queue::Image& queue) {
  std::vector<LostLock> lost;
  const auto take = [&](LaneKind kind, Lane::Image& lane) {
    const Shelf shelf(queue.record.id, kind, lane.counters.generation);
    for (UnreadableMessage& each : lane.lost_locks) lost.push_back({shelf, std::move(each)});
    lane.lost_locks.clear();
  };
  take(LaneKind::kMain, queue.main);
  take(LaneKind::kDeadLetter, queue.dead_letter);
  return lost;
}

Result<FolderState> LoadFolderState(const Store& store, std::string_view folder) {
  const auto view = store.View();
  FolderState state;
  Result<std::optional<std::uint64_t>> format = ReadMeta(*view, kMetaFormat);
  if (!format.ok()) return format.status();
  state.is_new = !*format;
  if (*format) WHARF_RETURN_IF_ERROR(CheckFormat(**format, folder));
  state.format = format->value_or(0);
  state.is_older = *format && **format < kFormatOfTheseRows;
  const Result<std::vector<BucketState>> buckets = LoadBuckets(*view);
  if (!buckets.ok()) return buckets.status();
  for (const BucketState& each : *buckets) {
    state.last_committed = std::max(state.last_committed, each.last_committed);
  }
  return state;
}

Result<BrokerImage> LoadBroker(const Store& store) {
  const SpanView view(store.View());
  BrokerImage image;
  WHARF_RETURN_IF_ERROR(LoadBuckets(view, image));
  WHARF_RETURN_IF_ERROR(LoadJobs(view, image));
  SpanShelves with_spans;
  WHARF_RETURN_IF_ERROR(with_spans.Load(view));

  const auto entities = view.Scan(IdOf(Table::kCatalog), WholeTable());
  for (; entities->valid(); entities->Next()) {
    Result<EntityRecord> record = DecodeEntity(entities->value());
    if (!record.ok()) return record.status();
    WHARF_RETURN_IF_ERROR(CheckId(*record, image.catalog.next_number));
    WHARF_RETURN_IF_ERROR(LoadEventLog(view, *record, image));
    const auto fence = image.fences.find(record->id);
    Result<Queue::Image> queue = LoadQueue(view, *std::move(record), with_spans,
                                           fence == image.fences.end() ? "" : fence->second);
    if (!queue.ok()) return queue.status();
    absl::c_move(TakeLostLocks(*queue), std::back_inserter(image.lost_locks));
    image.catalog.queues.push_back(*std::move(queue));
  }
  WHARF_RETURN_IF_ERROR(entities->status());

  WHARF_RETURN_IF_ERROR(LoadTransactions(view, image.open_transactions));
  WHARF_RETURN_IF_ERROR(LoadRules(view, image.rules));
  WHARF_RETURN_IF_ERROR(LoadAccessRules(view, image.access_rules));
  WHARF_RETURN_IF_ERROR(LoadRootFile(view, image));
  return image;
}

}  // namespace wharf
