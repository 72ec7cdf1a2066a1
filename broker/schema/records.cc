#include "broker/schema/records.h"

#include <memory>

#include <fmt/core.h>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kVersion = 1;

Status Damaged(std::string_view what) {
  return {ErrorCode::kGeneralError,
          fmt::format("a stored record of {} is damaged or of a newer format", what)};
}

// Flags of a delivery record.
constexpr std::uint8_t kHasBodyRef = 1;
constexpr std::uint8_t kHasChangedProperties = 2;

void WriteDelivery(ByteWriter& writer, const Delivery& delivery, const MessageFacts& facts) {
  writer.Byte(kVersion);
  writer.Varint(delivery.count);
  writer.SignedVarint(facts.size);
  WriteTime(writer, facts.expires_at);
  writer.Byte((facts.body_ref ? kHasBodyRef : 0) |
              (delivery.changed_properties ? kHasChangedProperties : 0));
  if (facts.body_ref) WriteBodyRef(writer, *facts.body_ref);
  if (delivery.changed_properties) WriteProperties(writer, *delivery.changed_properties);
}

void ReadDelivery(ByteReader& reader, Delivery& delivery, MessageFacts& facts) {
  if (reader.Byte() != kVersion) reader.Fail();
  delivery.count = reader.Number<std::uint32_t>();
  facts.size = reader.SignedVarint();
  facts.expires_at = ReadTime(reader);
  const std::uint8_t flags = reader.Byte();
  if (flags > (kHasBodyRef | kHasChangedProperties)) reader.Fail();
  if ((flags & kHasBodyRef) != 0) facts.body_ref = ReadBodyRef(reader);
  if (!facts.is_sane()) reader.Fail();
  if ((flags & kHasChangedProperties) != 0) {
    delivery.changed_properties = std::make_shared<const PropertyMap>(ReadProperties(reader));
  }
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
constexpr std::uint32_t kAllFlags = (1 << 10) - 1;

std::uint32_t FlagsOf(const QueueDescription& queue) {
  return (queue.requires_duplicate_detection ? kDuplicateDetection : 0) |
         (queue.requires_session ? kSession : 0) |
         (queue.dead_lettering_on_message_expiration ? kDeadLetterOnExpiration : 0) |
         (queue.enable_batched_operations ? kBatchedOperations : 0) |
         (queue.enable_partitioning ? kPartitioning : 0) |
         (queue.support_ordering ? kOrdering : 0) | (queue.enable_express ? kExpress : 0) |
         (queue.forward_to ? kHasForwardTo : 0) |
         (queue.forward_dead_lettered_messages_to ? kHasForwardDeadLetters : 0) |
         (queue.user_metadata ? kHasUserMetadata : 0);
}

void SetFlags(QueueDescription& queue, std::uint32_t flags) {
  queue.requires_duplicate_detection = (flags & kDuplicateDetection) != 0;
  queue.requires_session = (flags & kSession) != 0;
  queue.dead_lettering_on_message_expiration = (flags & kDeadLetterOnExpiration) != 0;
  queue.enable_batched_operations = (flags & kBatchedOperations) != 0;
  queue.enable_partitioning = (flags & kPartitioning) != 0;
  queue.support_ordering = (flags & kOrdering) != 0;
  queue.enable_express = (flags & kExpress) != 0;
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
  return queue;
}

}  // namespace

std::string EncodeEntity(const EntityRecord& entity) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.Varint(entity.id.value());
  WriteTime(writer, entity.created_at);
  WriteTime(writer, entity.updated_at);
  WriteDescription(writer, entity.description);
  return record;
}

Result<EntityRecord> DecodeEntity(std::string_view record) {
  ByteReader reader(record);
  EntityRecord entity;
  if (reader.Byte() != kVersion) reader.Fail();
  entity.id = EntityId(reader.Varint());
  entity.created_at = ReadTime(reader);
  entity.updated_at = ReadTime(reader);
  entity.description = ReadDescription(reader);
  if (reader.is_whole()) return entity;
  return Damaged("the catalog");
}

std::string EncodeCounters(const LaneCounters& counters) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kVersion);
  writer.SignedVarint(counters.fresh);
  writer.SignedVarint(counters.locked);
  writer.SignedVarint(counters.returned);
  writer.SignedVarint(counters.bytes);
  writer.Varint(counters.next_number.value());
  writer.Varint(counters.cursor.value());
  writer.Varint(counters.floor.value());
  WriteTime(writer, counters.accessed_at);
  return record;
}

Result<LaneCounters> DecodeCounters(std::string_view record) {
  ByteReader reader(record);
  LaneCounters counters;
  if (reader.Byte() != kVersion) reader.Fail();
  counters.fresh = reader.SignedVarint();
  counters.locked = reader.SignedVarint();
  counters.returned = reader.SignedVarint();
  counters.bytes = reader.SignedVarint();
  counters.next_number = SequenceNumber(reader.Varint());
  counters.cursor = SequenceNumber(reader.Varint());
  counters.floor = SequenceNumber(reader.Varint());
  counters.accessed_at = ReadTime(reader);
  const bool is_sane =
      counters.fresh >= 0 && counters.locked >= 0 && counters.returned >= 0 && counters.bytes >= 0;
  if (reader.is_whole() && is_sane) return counters;
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

std::string EncodeLocked(const LockToken& token, Timestamp until, const Delivery& delivery,
                         const MessageFacts& facts) {
  std::string record;
  ByteWriter writer(record);
  WriteDelivery(writer, delivery, facts);
  writer.Raw(token.ToBytes());
  WriteTime(writer, until);
  return record;
}

Result<Lane::LockedRow> DecodeLocked(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  Lane::LockedRow row;
  row.lock.number = number;
  ReadDelivery(reader, row.lock.delivery, row.lock.facts);
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

std::string EncodeJob() { return std::string(1, static_cast<char>(kVersion)); }

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
