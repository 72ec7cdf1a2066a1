#include "broker/schema/records.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>

#include <fmt/core.h>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kVersion = 1;

Status Damaged(std::string_view what) {
  return Status::Damage(fmt::format("a stored record of {} is damaged or of a newer format", what));
}

// Flags of a delivery record.
constexpr std::uint8_t kHasBodyRef = 1;
constexpr std::uint8_t kHasChangedProperties = 2;
constexpr std::uint8_t kWasDeferred = 4;
constexpr std::uint8_t kIsInSession = 8;
constexpr std::uint8_t kHasBodyHandle = 16;
constexpr std::uint8_t kHasTrack = 32;
constexpr std::uint8_t kSharesHint = 128;
constexpr std::uint8_t kNoDeliveryFlags = 64;

void WriteDelivery(ByteWriter& writer, const Delivery& delivery, const MessageFacts& facts,
                   std::uint8_t more_flags = 0) {
  writer.Byte(kVersion);
  writer.Varint(delivery.count);
  writer.SignedVarint(facts.size);
  WriteTime(writer, facts.expires_at);
  writer.Byte((facts.body_ref ? kHasBodyRef : 0) |
              (delivery.changed_properties ? kHasChangedProperties : 0) |
              (facts.session_id.empty() ? 0 : kIsInSession) |
              (facts.body_ref && facts.body_ref->is_shared() ? kHasBodyHandle : 0) |
              (facts.track ? kHasTrack : 0) | (facts.shares_hint ? kSharesHint : 0) | more_flags);
  if (facts.body_ref) WriteBodyRef(writer, *facts.body_ref);
  if (facts.body_ref && facts.body_ref->is_shared()) writer.Fixed64(facts.body_ref->handle);
  if (delivery.changed_properties) WriteProperties(writer, *delivery.changed_properties);
  if (!facts.session_id.empty()) writer.Text(facts.session_id);
  if (facts.track) writer.Byte(*facts.track);
}

// Returns the flags.
std::uint8_t ReadDelivery(ByteReader& reader, Delivery& delivery, MessageFacts& facts) {
  if (reader.Byte() != kVersion) reader.Fail();
  delivery.count = reader.Number<std::uint32_t>();
  facts.size = reader.SignedVarint();
  facts.expires_at = ReadTime(reader);
  const std::uint8_t flags = reader.Byte();
  if ((flags & kNoDeliveryFlags) != 0) reader.Fail();
  facts.shares_hint = (flags & kSharesHint) != 0;
  if ((flags & kHasBodyRef) != 0) facts.body_ref = ReadBodyRef(reader);
  if ((flags & kHasBodyHandle) != 0) {
    if (facts.body_ref) facts.body_ref->handle = reader.Fixed64();
    if (!facts.body_ref || !facts.body_ref->is_shared()) reader.Fail();
  }
  if ((flags & kHasChangedProperties) != 0) {
    delivery.changed_properties = std::make_shared<const PropertyMap>(ReadProperties(reader));
  }
  if ((flags & kIsInSession) != 0) facts.session_id = std::string(reader.Text());
  if ((flags & kHasTrack) != 0) facts.track = reader.Byte();
  if (!facts.is_sane()) reader.Fail();
  return flags;
}

// Flags of a description.
constexpr std::uint32_t kDuplicateDetection = 1 << 0;
constexpr std::uint32_t kSession = 1 << 1;
constexpr std::uint32_t kDeadLetterOnExpiration = 1 << 2;
constexpr std::uint32_t kBatchedOperations = 1 << 3;
constexpr std::uint32_t kPartitioning = 1 << 4;
constexpr std::uint32_t kOrdering = 1 << 5;
constexpr std::uint32_t kExpress = 1 << 6;
constexpr std::uint32_t kHasForwardTo = 1 << 7;
constexpr std::uint32_t kHasForwardDeadLetters = 1 << 8;
constexpr std::uint32_t kHasUserMetadata = 1 << 9;
constexpr std::uint32_t kHasRetryPolicy = 1 << 10;
constexpr std::uint32_t kMessageExpiryScope = 1 << 11;
// Of what is on by default, so that descriptions written before it was known read as they were.
constexpr std::uint32_t kNoDeadLetterOnFilterError = 1 << 12;
constexpr std::uint32_t kFilteringBeforePublishing = 1 << 13;
constexpr std::uint32_t kPriority = 1 << 14;
// Since format 5.
constexpr std::uint32_t kHasEventLog = 1 << 15;
// Since format 6.
constexpr std::uint32_t kHasUnknownElements = 1 << 16;
constexpr std::uint32_t kAllFlags = (1 << 17) - 1;

std::uint32_t FlagsOf(const QueueDescription& queue) {
  return (queue.requires_duplicate_detection ? kDuplicateDetection : 0) |
         (queue.requires_session ? kSession : 0) |
         (queue.dead_lettering_on_message_expiration ? kDeadLetterOnExpiration : 0) |
         (queue.enable_batched_operations ? kBatchedOperations : 0) |
         (queue.enable_partitioning ? kPartitioning : 0) | (queue.enable_priority ? kPriority : 0) |
         (queue.support_ordering ? kOrdering : 0) | (queue.enable_express ? kExpress : 0) |
         (queue.forward_to ? kHasForwardTo : 0) |
         (queue.forward_dead_lettered_messages_to ? kHasForwardDeadLetters : 0) |
         (queue.user_metadata ? kHasUserMetadata : 0) | (queue.retry_policy ? kHasRetryPolicy : 0) |
         (queue.session_expiry_scope == SessionExpiryScope::kMessage ? kMessageExpiryScope : 0) |
         (queue.dead_lettering_on_filter_evaluation_exceptions ? 0 : kNoDeadLetterOnFilterError) |
         (queue.enable_filtering_messages_before_publishing ? kFilteringBeforePublishing : 0) |
         (queue.has_event_log() ? kHasEventLog : 0) |
         (queue.unknown_elements.empty() ? 0 : kHasUnknownElements);
}

void SetFlags(QueueDescription& queue, std::uint32_t flags) {
  queue.requires_duplicate_detection = (flags & kDuplicateDetection) != 0;
  queue.requires_session = (flags & kSession) != 0;
  queue.dead_lettering_on_filter_evaluation_exceptions = (flags & kNoDeadLetterOnFilterError) == 0;
  queue.enable_filtering_messages_before_publishing = (flags & kFilteringBeforePublishing) != 0;
  queue.dead_lettering_on_message_expiration = (flags & kDeadLetterOnExpiration) != 0;
  queue.enable_batched_operations = (flags & kBatchedOperations) != 0;
  queue.enable_partitioning = (flags & kPartitioning) != 0;
  queue.enable_priority = (flags & kPriority) != 0;
  queue.support_ordering = (flags & kOrdering) != 0;
  queue.enable_express = (flags & kExpress) != 0;
  queue.session_expiry_scope = (flags & kMessageExpiryScope) != 0 ? SessionExpiryScope::kMessage
                                                                  : SessionExpiryScope::kSession;
}

void WriteRetryPolicy(ByteWriter& writer, const RetryPolicy& policy) {
  writer.Byte(static_cast<std::uint8_t>(policy.backoff));
  writer.SignedVarint(policy.base.count());
  writer.SignedVarint(policy.cap.count());
  writer.Fixed64(std::bit_cast<std::uint64_t>(policy.jitter));
}

RetryPolicy ReadRetryPolicy(ByteReader& reader) {
  RetryPolicy policy;
  policy.backoff = static_cast<Backoff>(reader.Byte());
  policy.base = Duration(reader.SignedVarint());
  policy.cap = Duration(reader.SignedVarint());
  policy.jitter = std::bit_cast<double>(reader.Fixed64());
  const bool is_known =
      policy.backoff >= Backoff::kFixed && policy.backoff <= Backoff::kExponential;
  if (!is_known || !CheckRetryPolicy(policy).ok()) reader.Fail();
  return policy;
}

void WriteDescription(ByteWriter& writer, const QueueDescription& queue) {
  writer.Text(queue.name);
  writer.Varint(FlagsOf(queue));
  writer.Byte(static_cast<std::uint8_t>(queue.status));
  writer.SignedVarint(queue.lock_duration.count());
  writer.SignedVarint(queue.max_size_in_megabytes);
  writer.SignedVarint(queue.max_message_size_in_kilobytes);
  writer.SignedVarint(queue.duplicate_detection_history_time_window.count());
  writer.SignedVarint(queue.default_message_time_to_live.count());
  writer.SignedVarint(queue.max_delivery_count);
  writer.SignedVarint(queue.auto_delete_on_idle.count());
  for (const auto* text :
       {&queue.forward_to, &queue.forward_dead_lettered_messages_to, &queue.user_metadata}) {
    if (*text) writer.Text(**text);
  }
  if (queue.retry_policy) WriteRetryPolicy(writer, *queue.retry_policy);
  if (queue.has_event_log()) {
    writer.SignedVarint(queue.event_log_size_in_kilobytes);
    writer.SignedVarint(queue.event_log_retention.count());
  }
  if (!queue.unknown_elements.empty()) writer.Text(queue.unknown_elements);
}

EntityStatus ReadStatus(ByteReader& reader) {
  const auto status = static_cast<EntityStatus>(reader.Byte());
  switch (status) {
    case EntityStatus::kActive:
    case EntityStatus::kDisabled:
    case EntityStatus::kSendDisabled:
    case EntityStatus::kReceiveDisabled:
      return status;
  }
  reader.Fail();
  return EntityStatus::kDisabled;
}

QueueDescription ReadDescription(ByteReader& reader) {
  QueueDescription queue;
  queue.name = std::string(reader.Text());
  const auto flags = reader.Number<std::uint32_t>();
  if (flags > kAllFlags) reader.Fail();
  SetFlags(queue, flags);
  queue.status = ReadStatus(reader);
  queue.lock_duration = Duration(reader.SignedVarint());
  queue.max_size_in_megabytes = reader.SignedVarint();
  queue.max_message_size_in_kilobytes = reader.SignedVarint();
  queue.duplicate_detection_history_time_window = Duration(reader.SignedVarint());
  queue.default_message_time_to_live = Duration(reader.SignedVarint());
  queue.max_delivery_count = reader.Number<std::int32_t>();
  queue.auto_delete_on_idle = Duration(reader.SignedVarint());
  if ((flags & kHasForwardTo) != 0) queue.forward_to = std::string(reader.Text());
  if ((flags & kHasForwardDeadLetters) != 0) {
    queue.forward_dead_lettered_messages_to = std::string(reader.Text());
  }
  if ((flags & kHasUserMetadata) != 0) queue.user_metadata = std::string(reader.Text());
  if ((flags & kHasRetryPolicy) != 0) queue.retry_policy = ReadRetryPolicy(reader);
  if ((flags & kHasEventLog) != 0) {
    queue.event_log_size_in_kilobytes = reader.SignedVarint();
    queue.event_log_retention = Duration(reader.SignedVarint());
    if (!queue.has_event_log()) reader.Fail();
  }
  if ((flags & kHasUnknownElements) != 0) {
    queue.unknown_elements = std::string(reader.Text());
    if (queue.unknown_elements.empty()) reader.Fail();
  }
  return queue;
}

}  // namespace

namespace {

EntityKind ReadKind(ByteReader& reader) {
  const std::uint8_t kind = reader.Byte();
  if (kind > static_cast<std::uint8_t>(EntityKind::kSubscription)) reader.Fail();
  return static_cast<EntityKind>(kind);
}

}  // namespace

std::string EncodeEntity(const EntityRecord& entity) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Byte(static_cast<std::uint8_t>(entity.kind));
  WriteEntityId(writer, entity.id);
  WriteTime(writer, entity.created_at);
  WriteTime(writer, entity.updated_at);
  WriteDescription(writer, entity.description);
  return record;
}

Result<EntityRecord> DecodeEntity(std::string_view record) {
  ByteReader reader(record);
  EntityRecord entity;
  if (reader.Byte() != kVersion) reader.Fail();
  entity.kind = ReadKind(reader);
  entity.id = ReadEntityId(reader);
  entity.created_at = ReadTime(reader);
  entity.updated_at = ReadTime(reader);
  entity.description = ReadDescription(reader);
  if (reader.is_whole()) return entity;
  return Damaged("the catalog");
}

namespace {

bool IsSane(const LaneCounters& counters) {
  const std::int64_t all[] = {
      counters.fresh,       counters.locked,          counters.returned,
      counters.delayed,     counters.deferred,        counters.bytes,
      counters.scheduled,   counters.scheduled_bytes, counters.session_state_bytes,
      counters.quarantined, counters.separate_bodies};
  return std::all_of(std::begin(all), std::end(all), [](std::int64_t n) { return n >= 0; }) &&
         counters.generation < kShelfGenerations;
}

// Nearly no lane ever does.
bool HasMetDamage(const LaneCounters& counters) {
  return counters.quarantined > 0 || counters.is_uncertain;
}

// Before separate bodies were counted; the one behind it did not note what was taken out of order.
constexpr std::uint8_t kOldestCountersVersion = 1;
constexpr std::uint8_t kCountersVersion = 3;
// Separate bodies, if nobody knows.
constexpr std::int64_t kUnknown = -1;

void WriteNumbers(ByteWriter& writer, const std::vector<SequenceNumber>& numbers) {
  writer.Varint(numbers.size());
  for (const SequenceNumber number : numbers) writer.Varint(number.value());
}

void ReadDamage(ByteReader& reader, LaneCounters& counters) {
  counters.quarantined = reader.SignedVarint();
  const std::uint8_t is_uncertain = reader.Byte();
  counters.is_uncertain = is_uncertain == 1;
  if (is_uncertain > 1) reader.Fail();
}

void ReadOldestEnd(ByteReader& reader, LaneCounters& counters) {
  counters.knows_separate_bodies = false;
  if (reader.left() == 0) return;
  ReadDamage(reader, counters);
  if (!HasMetDamage(counters)) reader.Fail();
}

void ReadBodies(ByteReader& reader, LaneCounters& counters) {
  ReadDamage(reader, counters);
  counters.separate_bodies = reader.SignedVarint();
  if (counters.separate_bodies != kUnknown) return;
  counters.separate_bodies = 0;
  counters.knows_separate_bodies = false;
}

// Those of all partitions but the first, or none.
std::vector<SequenceNumber> ReadNextNumbers(ByteReader& reader) {
  const std::uint64_t count = reader.Varint();
  if (count != 0 && count != kPartitions - 1U) reader.Fail();
  std::vector<SequenceNumber> numbers;
  for (PartitionId partition = 1; partition <= count && !reader.failed(); ++partition) {
    numbers.emplace_back(reader.Varint());
    if (PartitionOf(numbers.back()) != partition) reader.Fail();
  }
  return numbers;
}

// A partition of which none was taken has 0.
std::vector<SequenceNumber> ReadTakenEnds(ByteReader& reader) {
  const std::uint64_t count = reader.Varint();
  if (count > kPartitions) reader.Fail();
  std::vector<SequenceNumber> ends;
  for (PartitionId partition = 0; partition < count && !reader.failed(); ++partition) {
    ends.emplace_back(reader.Varint());
    const bool is_none = ends.back() == SequenceNumber();
    if (!is_none && PartitionOf(ends.back()) != partition) reader.Fail();
  }
  return ends;
}

// Where nothing was noted, any of them may have been taken.
void ReadEnd(ByteReader& reader, std::uint8_t version, LaneCounters& counters) {
  version == kOldestCountersVersion ? ReadOldestEnd(reader, counters)
                                    : ReadBodies(reader, counters);
  if (version == kCountersVersion) {
    counters.taken_ends = ReadTakenEnds(reader);
  } else {
    counters.ForgetTaken();
  }
}

}  // namespace

std::string EncodeCounters(const LaneCounters& counters) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kCountersVersion);
  writer.SignedVarint(counters.fresh);
  writer.SignedVarint(counters.locked);
  writer.SignedVarint(counters.returned);
  writer.SignedVarint(counters.bytes);
  writer.Varint(counters.next_number.value());
  writer.Varint(counters.cursor.value());
  writer.Varint(counters.generation);
  WriteTime(writer, counters.accessed_at);
  WriteTime(writer, counters.active_at);
  writer.SignedVarint(counters.delayed);
  writer.SignedVarint(counters.deferred);
  writer.SignedVarint(counters.scheduled);
  writer.SignedVarint(counters.scheduled_bytes);
  writer.Varint(counters.scheduled_floor.value());
  writer.SignedVarint(counters.session_state_bytes);
  WriteNumbers(writer, counters.next_numbers);
  writer.SignedVarint(counters.quarantined);
  writer.Byte(counters.is_uncertain ? 1 : 0);
  writer.SignedVarint(counters.knows_separate_bodies ? counters.separate_bodies : kUnknown);
  WriteNumbers(writer, counters.taken_ends);
  return record;
}

Result<LaneCounters> DecodeCounters(std::string_view record) {
  ByteReader reader(record);
  LaneCounters counters;
  const std::uint8_t version = reader.Byte();
  if (version < kOldestCountersVersion || version > kCountersVersion) reader.Fail();
  counters.fresh = reader.SignedVarint();
  counters.locked = reader.SignedVarint();
  counters.returned = reader.SignedVarint();
  counters.bytes = reader.SignedVarint();
  counters.next_number = SequenceNumber(reader.Varint());
  counters.cursor = SequenceNumber(reader.Varint());
  counters.generation = reader.Number<std::uint8_t>();
  counters.accessed_at = ReadTime(reader);
  counters.active_at = ReadTime(reader);
  counters.delayed = reader.SignedVarint();
  counters.deferred = reader.SignedVarint();
  counters.scheduled = reader.SignedVarint();
  counters.scheduled_bytes = reader.SignedVarint();
  counters.scheduled_floor = SequenceNumber(reader.Varint());
  counters.session_state_bytes = reader.SignedVarint();
  counters.next_numbers = ReadNextNumbers(reader);
  ReadEnd(reader, version, counters);
  if (reader.is_whole() && IsSane(counters)) return counters;
  return Damaged("the counters");
}

std::string EncodeReturned(const Delivery& delivery, const MessageFacts& facts) {
  std::string record;
  ByteWriter writer(record);
  WriteDelivery(writer, delivery, facts);
  return record;
}

Result<ReturnedRow> DecodeReturned(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  ReturnedRow row;
  row.number = number;
  ReadDelivery(reader, row.delivery, row.facts);
  if (reader.is_whole()) return row;
  return Damaged("the deliveries");
}

std::string EncodeDelayed(const Delivery& delivery, const MessageFacts& facts,
                          Timestamp available_at) {
  std::string record;
  ByteWriter writer(record);
  WriteDelivery(writer, delivery, facts);
  WriteTime(writer, available_at);
  return record;
}

Result<DelayedRow> DecodeDelayed(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  DelayedRow delayed;
  delayed.row.number = number;
  ReadDelivery(reader, delayed.row.delivery, delayed.row.facts);
  delayed.available_at = ReadTime(reader);
  if (reader.is_whole()) return delayed;
  return Damaged("the delays");
}

std::string EncodeQuarantined(const Delivery& delivery, const MessageFacts& facts,
                              const QuarantineNote& note) {
  std::string record;
  ByteWriter writer(record);
  WriteDelivery(writer, delivery, facts);
  WriteTime(writer, note.since);
  writer.Byte(static_cast<std::uint8_t>(note.from));
  writer.Text(note.reason);
  return record;
}

Result<QuarantinedRow> DecodeQuarantined(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  QuarantinedRow quarantined;
  quarantined.row.number = number;
  ReadDelivery(reader, quarantined.row.delivery, quarantined.row.facts);
  quarantined.note.since = ReadTime(reader);
  const std::uint8_t from = reader.Byte();
  if (from > static_cast<std::uint8_t>(Standing::kQuarantined)) reader.Fail();
  quarantined.note.from = static_cast<Standing>(from);
  quarantined.note.reason = std::string(reader.Text());
  if (reader.is_whole()) return quarantined;
  return Damaged("the deliveries");
}

std::string EncodeLocked(const Lane::LockedRow& row) {
  std::string record;
  ByteWriter writer(record);
  WriteDelivery(writer, row.lock.delivery, row.lock.facts,
                row.lock.was_deferred ? kWasDeferred : 0);
  writer.Raw(row.token.ToBytes());
  WriteTime(writer, row.lock.until);
  return record;
}

Result<Lane::LockedRow> DecodeLocked(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  Lane::LockedRow row;
  row.lock.number = number;
  const std::uint8_t flags = ReadDelivery(reader, row.lock.delivery, row.lock.facts);
  row.lock.was_deferred = (flags & kWasDeferred) != 0;
  row.token = LockToken::FromBytes(reader.Raw(LockToken::kSize));
  row.lock.until = ReadTime(reader);
  if (reader.is_whole()) return row;
  return Damaged("the locks");
}

std::string EncodeMeta(std::uint64_t value) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Fixed64(value);
  return record;
}

Result<std::uint64_t> DecodeMeta(std::string_view name, std::string_view record) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion) reader.Fail();
  const std::uint64_t value = reader.Fixed64();
  if (reader.is_whole()) return value;
  return Damaged(name);
}

std::string EncodeReclaim() { return std::string(1, static_cast<char>(kVersion)); }

std::string EncodeFence(std::string_view reason) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Text(reason);
  return record;
}

Result<std::string> DecodeFence(std::string_view record) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion) reader.Fail();
  std::string reason(reader.Text());
  if (reader.is_whole()) return reason;
  return Damaged("the fences");
}

std::string EncodeDuplicate(const DuplicateRow& row) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Varint(row.number.value());
  WriteTime(writer, row.forget_after);
  writer.Byte(row.is_scheduled ? 1 : 0);
  return record;
}

Result<DuplicateRow> DecodeDuplicate(std::string_view record) {
  ByteReader reader(record);
  DuplicateRow row;
  if (reader.Byte() != kVersion) reader.Fail();
  row.number = SequenceNumber(reader.Varint());
  row.forget_after = ReadTime(reader);
  const std::uint8_t is_scheduled = reader.Byte();
  if (is_scheduled > 1) reader.Fail();
  row.is_scheduled = is_scheduled == 1;
  if (reader.is_whole()) return row;
  return Damaged("the message ids");
}

std::string EncodeOrder(Standing standing) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Byte(static_cast<std::uint8_t>(standing));
  return record;
}

Result<Standing> DecodeOrder(std::string_view record) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion) reader.Fail();
  const auto standing = static_cast<Standing>(reader.Byte());
  const bool is_known = standing == Standing::kFresh || standing == Standing::kReturned ||
                        standing == Standing::kDelayed;
  if (reader.is_whole() && is_known) return standing;
  return Damaged("the order of sessions");
}

std::string EncodeSession(const SessionRow& row) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Raw(row.token.ToBytes());
  WriteTime(writer, row.until);
  WriteTime(writer, row.since);
  writer.Varint(row.expired_through.value());
  return record;
}

Result<SessionRow> DecodeSession(std::string_view record) {
  ByteReader reader(record);
  SessionRow row;
  if (reader.Byte() != kVersion) reader.Fail();
  row.token = LockToken::FromBytes(reader.Raw(LockToken::kSize));
  row.until = ReadTime(reader);
  row.since = ReadTime(reader);
  row.expired_through = SequenceNumber(reader.Varint());
  if (reader.is_whole()) return row;
  return Damaged("the sessions");
}

std::string EncodeSessionState(const SessionState& state) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  WriteTime(writer, state.updated_at);
  writer.Raw(state.bytes);
  return record;
}

Result<SessionState> DecodeSessionState(std::string_view record) {
  ByteReader reader(record);
  SessionState state;
  if (reader.Byte() != kVersion) reader.Fail();
  state.updated_at = ReadTime(reader);
  state.bytes = std::string(reader.Rest());
  if (reader.is_whole()) return state;
  return Damaged("the states of sessions");
}

std::string EncodeSharedHint(const SharedHint& shared) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Varint(shared.end.value() - shared.hint.number.value());
  WriteTime(writer, shared.came_until);
  WriteTime(writer, shared.expire_until);
  return record;
}

Result<SharedHint> DecodeSharedHint(const DueHint& row, std::string_view record) {
  ByteReader reader(record);
  SharedHint shared;
  shared.hint = row;
  if (reader.Byte() != kVersion) reader.Fail();
  const std::uint64_t numbers = reader.Varint();
  if (numbers == 0 || numbers > row.number.value()) reader.Fail();
  shared.end = row.number;
  shared.hint.number = SequenceNumber(row.number.value() - numbers);
  shared.came_until = ReadTime(reader);
  shared.expire_until = ReadTime(reader);
  if (reader.is_whole()) return shared;
  return Damaged("the hints");
}

std::string EncodeSpan(const Span& span) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Varint(span.last.value() - span.first.value());
  WriteTime(writer, span.as_of);
  writer.Varint(span.exceptions.size());
  SequenceNumber before = span.first;
  for (const SequenceNumber exception : span.exceptions) {
    writer.Varint(exception.value() - before.value());
    before = exception;
  }
  assert(record.size() <= kSpanBytesMax);
  return record;
}

namespace {

// Ascending, and not behind `last`.
std::vector<SequenceNumber> ReadExceptions(ByteReader& reader, const Span& span) {
  std::vector<SequenceNumber> exceptions;
  std::uint64_t left = span.last.value() - span.first.value();
  const std::uint64_t count = reader.Varint();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::uint64_t distance = reader.Varint();
    if (distance > left || (i > 0 && distance == 0)) reader.Fail();
    left -= distance;
    exceptions.emplace_back(span.last.value() - left);
  }
  return exceptions;
}

}  // namespace

Result<Span> DecodeSpan(SequenceNumber first, std::string_view record) {
  ByteReader reader(record);
  Span span;
  span.first = first;
  if (record.size() > kSpanBytesMax || reader.Byte() != kVersion) reader.Fail();
  span.last = SequenceNumber(first.value() + reader.Varint());
  if (span.last < first || PartitionOf(span.last) != PartitionOf(first)) reader.Fail();
  span.as_of = ReadTime(reader);
  span.exceptions = ReadExceptions(reader, span);
  if (reader.is_whole()) return span;
  return Damaged("the spans");
}

std::string EncodeLooseBody(const BodyRef& body) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Varint(body.size);
  return record;
}

Result<std::uint64_t> DecodeLooseBody(std::string_view record) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion) reader.Fail();
  const std::uint64_t size = reader.Varint();
  if (reader.is_whole()) return size;
  return Damaged("the loose bodies");
}

}  // namespace wharf
