#include "broker/schema/keys.h"

#include <limits>

#include "broker/core/entities/bucket.h"
#include "broker/core/order/partition.h"
#include "broker/schema/bytes.h"

namespace wharf {
namespace {

// The first key behind everything that starts with `prefix`. A prefix of 0xFF bytes has none, and
// none is used.
std::string BehindPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<std::uint8_t>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

constexpr std::uint8_t kShelvesPerGeneration = 4;

// The kinds of rows in `outcomes`.
constexpr std::uint8_t kOpenTransaction = 1;
constexpr std::uint8_t kEndedTransaction = 2;

std::uint8_t ByteOf(const Shelf& shelf) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(shelf.kind) +
                                   kShelvesPerGeneration * shelf.generation);
}

// Fails the reader if no entity has such an id.
EntityId ReadEntity(ByteReader& reader) {
  const EntityId entity(reader.Fixed64());
  if (entity != EntityId(entity.bucket(), entity.number())) reader.Fail();
  return entity;
}

// Of an entity's row that begins with a bucket.
template <typename Row>
std::optional<Row> InBucket(const ByteReader& reader, Bucket bucket, EntityId entity, Row row) {
  if (!reader.is_whole() || entity.bucket() != bucket) return std::nullopt;
  return row;
}

// Fails the reader if there is no such lane.
Shelf ReadShelf(ByteReader& reader) {
  const EntityId entity = ReadEntity(reader);
  const std::uint8_t byte = reader.Byte();
  const auto kind = static_cast<LaneKind>(byte % kShelvesPerGeneration);
  if (kind > LaneKind::kDeadLetter) reader.Fail();
  return {entity, kind, static_cast<std::uint8_t>(byte / kShelvesPerGeneration)};
}

std::string ShelfPrefix(const Shelf& shelf) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(shelf.entity.value());
  writer.Byte(ByteOf(shelf));
  return key;
}

std::string DeliveryPrefix(const Shelf& shelf, Standing standing) {
  std::string key = ShelfPrefix(shelf);
  key.push_back(static_cast<char>(standing));
  return key;
}

// So that the order of bytes is the order of instants, also before 1970.
constexpr std::uint64_t kTimeBias = std::uint64_t{1} << 63;

void AppendTime(ByteWriter& writer, Timestamp time) {
  writer.Fixed64(static_cast<std::uint64_t>(time.time_since_epoch().count()) ^ kTimeBias);
}

Timestamp TakeTime(ByteReader& reader) {
  return Timestamp(Duration(static_cast<std::int64_t>(reader.Fixed64() ^ kTimeBias)));
}

// Text that may be followed by more: 0 becomes 0 255, and the end is 0 1.
void AppendEscaped(ByteWriter& writer, std::string_view text) {
  for (const char byte : text) {
    writer.Byte(static_cast<std::uint8_t>(byte));
    if (byte == 0) writer.Byte(0xFF);
  }
  writer.Byte(0);
  writer.Byte(1);
}

// Fails the reader if it does not end.
std::string TakeEscaped(ByteReader& reader) {
  std::string text;
  while (!reader.failed()) {
    const std::uint8_t byte = reader.Byte();
    if (byte == 0) {
      const std::uint8_t mark = reader.Byte();
      if (mark == 1) return text;
      if (mark != 0xFF) reader.Fail();
    }
    text.push_back(static_cast<char>(byte));
  }
  return text;
}

KeyRange PrefixRange(std::string prefix) {
  std::string end = BehindPrefix(prefix);
  return {std::move(prefix), std::move(end)};
}

std::optional<SequenceNumber> NumberAt(std::string_view key, std::size_t prefix) {
  if (key.size() != prefix + 8) return std::nullopt;
  return SequenceNumber(ByteReader(key.substr(prefix)).Fixed64());
}

// In front of the names of buckets. The names of the whole folder begin with a letter.
constexpr std::uint8_t kOfBucket = 0;

// Behind all rows of an event log.
constexpr std::uint64_t kEventHeadPosition = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::string BucketMetaKey(Bucket bucket, std::string_view name) {
  std::string key;
  ByteWriter writer(key);
  writer.Byte(kOfBucket);
  writer.Byte(bucket);
  writer.Raw(name);
  return key;
}

KeyRange BucketMetaRange() { return PrefixRange(std::string(1, kOfBucket)); }

std::optional<BucketMetaName> NameOfBucketMetaKey(std::string_view key) {
  ByteReader reader(key);
  if (reader.Byte() != kOfBucket) reader.Fail();
  BucketMetaName name;
  name.bucket = reader.Byte();
  name.name = std::string(reader.Rest());
  return reader.is_whole() && !name.name.empty() ? std::optional(std::move(name)) : std::nullopt;
}

std::string CountersKey(LaneId lane) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(lane.entity.value());
  writer.Byte(static_cast<std::uint8_t>(lane.kind));
  return key;
}

std::optional<LaneId> LaneOfCountersKey(std::string_view key) {
  ByteReader reader(key);
  const EntityId entity = ReadEntity(reader);
  const auto kind = static_cast<LaneKind>(reader.Byte());
  if (!reader.is_whole() || kind > LaneKind::kDeadLetter) return std::nullopt;
  return LaneId{entity, kind};
}

std::string MessageKey(const Shelf& shelf, SequenceNumber number) {
  std::string key = ShelfPrefix(shelf);
  ByteWriter(key).Fixed64(number.value());
  return key;
}

std::optional<Shelf> ShelfOfMessageKey(std::string_view key) {
  ByteReader reader(key);
  const Shelf shelf = ReadShelf(reader);
  reader.Fixed64();
  return reader.is_whole() ? std::optional(shelf) : std::nullopt;
}

std::optional<Shelf> ShelfOfKey(std::string_view key) {
  ByteReader reader(key);
  const Shelf shelf = ReadShelf(reader);
  return reader.failed() ? std::nullopt : std::optional(shelf);
}

std::optional<SequenceNumber> NumberOfMessageKey(std::string_view key) { return NumberAt(key, 9); }
std::optional<SequenceNumber> NumberOfDeliveryKey(std::string_view key) {
  return NumberAt(key, 10);
}

KeyRange MessageRange(const Shelf& shelf, SequenceNumber from, SequenceNumber until) {
  return {MessageKey(shelf, from), MessageKey(shelf, until)};
}

KeyRange MessageRange(const Shelf& shelf, SequenceNumber from) {
  return {MessageKey(shelf, from), BehindPrefix(ShelfPrefix(shelf))};
}

std::string BodyKey(const BodyRef& body, std::uint32_t chunk) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(body.entity.value());
  writer.Fixed64(body.number.value());
  writer.Fixed32(chunk);
  return key;
}

KeyRange BodyRange(const BodyRef& body) {
  std::string prefix = BodyKey(body, 0);
  prefix.resize(16);
  return PrefixRange(std::move(prefix));
}

std::string BodyRefKey(const BodyRef& body) {
  std::string key = BodyRange(body).begin;
  ByteWriter(key).Fixed64(body.handle);
  return key;
}

KeyRange BodyRefRange(const BodyRef& body) { return BodyRange(body); }

std::string SpanKey(const Shelf& shelf, SequenceNumber first) { return MessageKey(shelf, first); }

std::string RuleKey(EntityId subscription, std::string_view name) {
  std::string key = EntityRange(subscription).begin;
  ByteWriter(key).Raw(FoldPath(name));
  return key;
}

std::optional<EntityId> SubscriptionOfRuleKey(std::string_view key) {
  ByteReader reader(key);
  const EntityId id = ReadEntity(reader);
  return reader.failed() ? std::nullopt : std::optional(id);
}

std::string AccessRuleKey(EntityId entity, std::string_view name) {
  std::string key = EntityRange(entity).begin;
  ByteWriter(key).Raw(access::FoldRuleName(name));
  return key;
}

std::optional<EntityId> EntityOfAccessRuleKey(std::string_view key) {
  ByteReader reader(key);
  const EntityId id = ReadEntity(reader);
  return reader.failed() ? std::nullopt : std::optional(id);
}

std::string EventKey(EntityId entity, std::uint64_t position) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(entity.value());
  writer.Fixed64(position);
  return key;
}

KeyRange EventRange(EntityId entity, std::uint64_t from) {
  return {EventKey(entity, from), EventHeadKey(entity)};
}

KeyRange EventRangeBetween(EntityId entity, std::uint64_t from, std::uint64_t until) {
  return {EventKey(entity, from), EventKey(entity, until)};
}

std::optional<std::uint64_t> PositionOfEventKey(std::string_view key) {
  ByteReader reader(key);
  ReadEntity(reader);
  const std::uint64_t position = reader.Fixed64();
  return reader.is_whole() ? std::optional(position) : std::nullopt;
}

std::string EventHeadKey(EntityId entity) { return EventKey(entity, kEventHeadPosition); }

bool IsEventHeadKey(std::string_view key) { return PositionOfEventKey(key) == kEventHeadPosition; }

std::string DeliveryKey(const Shelf& shelf, Standing standing, SequenceNumber number) {
  std::string key = DeliveryPrefix(shelf, standing);
  ByteWriter(key).Fixed64(number.value());
  return key;
}

KeyRange DeliveryRange(const Shelf& shelf, Standing standing, SequenceNumber from) {
  return {DeliveryKey(shelf, standing, from), BehindPrefix(DeliveryPrefix(shelf, standing))};
}

KeyRange ShelfRange(const Shelf& shelf) { return PrefixRange(ShelfPrefix(shelf)); }

std::string ScheduledKey(EntityId entity, SequenceNumber number) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(entity.value());
  writer.Fixed64(number.value());
  return key;
}

KeyRange ScheduledRange(EntityId entity, SequenceNumber from, SequenceNumber until) {
  return {ScheduledKey(entity, from), ScheduledKey(entity, until)};
}

std::optional<SequenceNumber> NumberOfScheduledKey(std::string_view key) {
  return NumberAt(key, 8);
}

std::string ScheduledTimeKey(EntityId entity, const ScheduledTime& at) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(entity.value());
  AppendTime(writer, at.time);
  writer.Fixed64(at.number.value());
  return key;
}

KeyRange ScheduledTimeRange(EntityId entity, const ScheduledTime& from) {
  return {ScheduledTimeKey(entity, from), EntityRange(entity).end};
}

std::optional<ScheduledTime> ScheduledTimeOfKey(std::string_view key) {
  ByteReader reader(key);
  reader.Fixed64();
  ScheduledTime at;
  at.time = TakeTime(reader);
  at.number = SequenceNumber(reader.Fixed64());
  return reader.is_whole() ? std::optional(at) : std::nullopt;
}

namespace {

void AppendHint(ByteWriter& writer, Bucket bucket, const DueHint& hint) {
  writer.Byte(bucket);
  AppendTime(writer, hint.time);
  writer.Byte(static_cast<std::uint8_t>(hint.kind));
  writer.Raw(MessageKey(hint.lane, hint.number));
}

}  // namespace

std::string DueKey(const DueHint& hint) {
  std::string key;
  ByteWriter writer(key);
  AppendHint(writer, hint.lane.entity.bucket(), hint);
  return key;
}

KeyRange DueRange(Bucket bucket, const DueHint& from, Timestamp until) {
  KeyRange range;
  ByteWriter begin(range.begin);
  AppendHint(begin, bucket, from);
  ByteWriter end(range.end);
  end.Byte(bucket);
  AppendTime(end, until);
  return range;
}

std::optional<DueHint> HintOfDueKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = reader.Byte();
  DueHint hint;
  hint.time = TakeTime(reader);
  hint.kind = static_cast<DueKind>(reader.Byte());
  if (hint.kind < DueKind::kExpire || hint.kind > DueKind::kExpireShared) reader.Fail();
  hint.lane = ReadShelf(reader);
  hint.number = SequenceNumber(reader.Fixed64());
  return InBucket(reader, bucket, hint.lane.entity, hint);
}

std::string DuplicateKey(EntityId entity, std::string_view partition_key,
                         std::string_view message_id) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(entity.value());
  AppendEscaped(writer, partition_key);
  writer.Raw(message_id);
  return key;
}

KeyRange EntityRange(EntityId entity) {
  std::string prefix;
  ByteWriter(prefix).Fixed64(entity.value());
  return PrefixRange(std::move(prefix));
}

namespace {

std::string OrderPrefix(const Shelf& shelf, std::string_view session) {
  std::string key = ShelfPrefix(shelf);
  ByteWriter writer(key);
  AppendEscaped(writer, session);
  return key;
}

}  // namespace

std::string OrderKey(const Shelf& shelf, std::string_view session, SequenceNumber number) {
  std::string key = OrderPrefix(shelf, session);
  ByteWriter(key).Fixed64(number.value());
  return key;
}

KeyRange OrderRange(const Shelf& shelf, std::string_view session, SequenceNumber from) {
  return {OrderKey(shelf, session, from), BehindPrefix(OrderPrefix(shelf, session))};
}

KeyRange OrderRange(const Shelf& shelf, const std::optional<std::string>& after) {
  KeyRange range = ShelfRange(shelf);
  if (after) range.begin = BehindPrefix(OrderPrefix(shelf, *after));
  return range;
}

std::optional<OrderedMessage> MessageOfOrderKey(std::string_view key) {
  ByteReader reader(key);
  ReadShelf(reader);
  OrderedMessage message;
  message.session = TakeEscaped(reader);
  message.number = SequenceNumber(reader.Fixed64());
  return reader.is_whole() ? std::optional(std::move(message)) : std::nullopt;
}

std::string SessionKey(EntityId entity, std::string_view session) {
  std::string key;
  ByteWriter writer(key);
  writer.Fixed64(entity.value());
  writer.Raw(session);
  return key;
}

KeyRange SessionRange(EntityId entity, const std::optional<std::string>& after) {
  KeyRange range = EntityRange(entity);
  // The first key behind a text is that text with a zero.
  if (after) range.begin = SessionKey(entity, *after) + '\0';
  return range;
}

std::optional<std::string> SessionOfKey(std::string_view key) {
  ByteReader reader(key);
  reader.Fixed64();
  std::string session(reader.Rest());
  return reader.is_whole() && !session.empty() ? std::optional(std::move(session)) : std::nullopt;
}

std::string OfferKey(const Shelf& shelf, SequenceNumber number, std::string_view session) {
  std::string key = ShelfPrefix(shelf);
  ByteWriter(key).Fixed64(CountFirst(number));
  ByteWriter(key).Raw(session);
  return key;
}

KeyRange OfferRange(const Shelf& shelf, SequenceNumber number, std::string_view session) {
  return {OfferKey(shelf, number, session), ShelfRange(shelf).end};
}

std::optional<OrderedMessage> OfferOfKey(std::string_view key) {
  ByteReader reader(key);
  ReadShelf(reader);
  OrderedMessage offer;
  offer.number = NumberOfCountFirst(reader.Fixed64());
  offer.session = std::string(reader.Rest());
  return reader.is_whole() && !offer.session.empty() ? std::optional(std::move(offer))
                                                     : std::nullopt;
}

namespace {

std::string JobPrefix(Bucket bucket, JobKind kind) {
  std::string key;
  ByteWriter writer(key);
  writer.Byte(bucket);
  writer.Byte(static_cast<std::uint8_t>(kind));
  return key;
}

// The caller knows the kind.
Bucket TakeJobPrefix(ByteReader& reader) {
  const Bucket bucket = reader.Byte();
  reader.Byte();
  return bucket;
}

std::string BodyJobKey(JobKind kind, const BodyRef& body) {
  std::string key = ReclaimKey(kind, body.entity);
  ByteWriter(key).Fixed64(body.number.value());
  return key;
}

BodyRef TakeBody(ByteReader& reader) {
  BodyRef body;
  body.entity = ReadEntity(reader);
  body.number = SequenceNumber(reader.Fixed64());
  return body;
}

}  // namespace

std::optional<JobKind> KindOfJobKey(std::string_view key) {
  ByteReader reader(key);
  reader.Byte();
  const auto kind = static_cast<JobKind>(reader.Byte());
  const bool is_known = kind >= JobKind::kReclaimEntity && kind <= JobKind::kFence;
  return is_known && !reader.failed() ? std::optional(kind) : std::nullopt;
}

std::string ReclaimKey(JobKind kind, EntityId entity) {
  std::string key = JobPrefix(entity.bucket(), kind);
  ByteWriter(key).Fixed64(entity.value());
  return key;
}

std::optional<EntityId> EntityOfReclaimKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = TakeJobPrefix(reader);
  const EntityId entity = ReadEntity(reader);
  return InBucket(reader, bucket, entity, entity);
}

std::string ReclaimShelfKey(const Shelf& shelf) {
  return JobPrefix(shelf.entity.bucket(), JobKind::kReclaimShelf) + ShelfPrefix(shelf);
}

std::optional<Shelf> ShelfOfReclaimKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = TakeJobPrefix(reader);
  const Shelf shelf = ReadShelf(reader);
  return InBucket(reader, bucket, shelf.entity, shelf);
}

KeyRange ReclaimShelfRange(EntityId entity) {
  return PrefixRange(ReclaimKey(JobKind::kReclaimShelf, entity));
}

std::string JobKey(Bucket bucket, JobId id) {
  std::string key = JobPrefix(bucket, JobKind::kJob);
  ByteWriter(key).Fixed64(id.value());
  return key;
}

std::optional<JobId> IdOfJobKey(std::string_view key) {
  ByteReader reader(key);
  TakeJobPrefix(reader);
  const JobId id(reader.Fixed64());
  return reader.is_whole() ? std::optional(id) : std::nullopt;
}

namespace {

std::string OutcomePrefix(Bucket bucket, std::uint8_t kind) {
  std::string key;
  ByteWriter writer(key);
  writer.Byte(bucket);
  writer.Byte(kind);
  return key;
}

}  // namespace

std::string OutcomeKey(const TransactionId& id, bool is_open) {
  return OutcomePrefix(BucketOf(id), is_open ? kOpenTransaction : kEndedTransaction) + id;
}

KeyRange OpenTransactionRange(Bucket bucket) {
  return {OutcomePrefix(bucket, kOpenTransaction), OutcomePrefix(bucket, kEndedTransaction)};
}

std::optional<TransactionId> TransactionOfKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = reader.Byte();
  const std::uint8_t kind = reader.Byte();
  if (kind != kOpenTransaction && kind != kEndedTransaction) reader.Fail();
  TransactionId id(reader.Rest());
  if (BucketOf(id) != bucket) reader.Fail();
  return reader.is_whole() && !id.empty() ? std::optional(std::move(id)) : std::nullopt;
}

std::string LooseBodyKey(const BodyRef& body) {
  std::string key = BodyJobKey(JobKind::kLooseBody, body);
  if (body.is_shared()) ByteWriter(key).Fixed64(body.handle);
  return key;
}

std::optional<BodyRef> BodyOfLooseBodyKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = TakeJobPrefix(reader);
  BodyRef body = TakeBody(reader);
  if (reader.left() > 0) body.handle = reader.Fixed64();
  return InBucket(reader, bucket, body.entity, body);
}

std::string ReleasedBodyKey(const BodyRef& body) {
  return BodyJobKey(JobKind::kReleasedBody, body);
}

std::optional<BodyRef> BodyOfReleasedBodyKey(std::string_view key) {
  ByteReader reader(key);
  const Bucket bucket = TakeJobPrefix(reader);
  const BodyRef body = TakeBody(reader);
  return InBucket(reader, bucket, body.entity, body);
}

KeyRange ReleasedBodyRange(Bucket bucket, const std::optional<BodyRef>& after) {
  KeyRange range = PrefixRange(JobPrefix(bucket, JobKind::kReleasedBody));
  if (after) range.begin = BehindPrefix(ReleasedBodyKey(*after));
  return range;
}

}  // namespace wharf
