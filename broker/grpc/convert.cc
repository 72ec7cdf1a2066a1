#include "broker/grpc/convert.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "broker/grpc/errors.h"

namespace wharf {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1000000;
constexpr std::int64_t kNanosPerMicro = 1000;
// The range of google.protobuf.Timestamp and Duration.
constexpr std::int64_t kFirstSecond = -62135596800;
constexpr std::int64_t kLastSecond = 253402300799;
constexpr std::int64_t kDurationSecondsMax = 315576000000;
constexpr std::int32_t kNanosMax = 999999999;

Status BadValue(std::string_view field, std::string_view why) {
  return {ErrorCode::kArgumentError, fmt::format("{} {}", field, why)};
}

Status OutOfRange(std::string_view field, std::string_view why) {
  return {ErrorCode::kArgumentOutOfRange, fmt::format("{} {}", field, why)};
}

bool IsValid(const google::protobuf::Timestamp& time) {
  return time.seconds() >= kFirstSecond && time.seconds() <= kLastSecond && time.nanos() >= 0 &&
         time.nanos() <= kNanosMax;
}

bool IsValid(const google::protobuf::Duration& span) {
  const bool has_one_sign =
      span.seconds() == 0 || span.nanos() == 0 || (span.seconds() < 0) == (span.nanos() < 0);
  return span.seconds() >= -kDurationSecondsMax && span.seconds() <= kDurationSecondsMax &&
         span.nanos() >= -kNanosMax && span.nanos() <= kNanosMax && has_one_sign;
}

Result<Timestamp> TimeFromProto(std::string_view field, const google::protobuf::Timestamp& proto) {
  if (!IsValid(proto)) return OutOfRange(field, "is not a time between the years 1 and 9999");
  return Timestamp(Duration(proto.seconds() * kMicrosPerSecond + proto.nanos() / kNanosPerMicro));
}

Result<Duration> DurationFromProto(std::string_view field,
                                   const google::protobuf::Duration& proto) {
  if (!IsValid(proto)) return OutOfRange(field, "is not a duration within 10,000 years");
  // A span shorter than a microsecond is still more, or less, than nothing.
  const std::int64_t rounding = proto.nanos() > 0 ? kNanosPerMicro - 1 : 1 - kNanosPerMicro;
  const std::int64_t micros = proto.nanos() == 0 ? 0 : (proto.nanos() + rounding) / kNanosPerMicro;
  return Duration(proto.seconds() * kMicrosPerSecond + micros);
}

template <typename Integer, typename Wide>
Result<PropertyValue> Narrow(const std::string& name, Wide value) {
  if (value < std::numeric_limits<Integer>::min() || value > std::numeric_limits<Integer>::max()) {
    return OutOfRange(fmt::format("the property '{:.64}'", name), "does not fit its type");
  }
  return PropertyValue(static_cast<Integer>(value));
}

Result<PropertyValue> ValueFromProto(const std::string& name, const v1::PropertyValue& proto) {
  const auto bad = [&](std::string_view why) {
    return BadValue(fmt::format("the property '{:.64}'", name), why);
  };
  switch (proto.kind_case()) {
    case v1::PropertyValue::KIND_NOT_SET:
      return PropertyValue();
    case v1::PropertyValue::kBoolValue:
      return PropertyValue(proto.bool_value());
    case v1::PropertyValue::kInt8Value:
      return Narrow<std::int8_t>(name, proto.int8_value());
    case v1::PropertyValue::kInt16Value:
      return Narrow<std::int16_t>(name, proto.int16_value());
    case v1::PropertyValue::kInt32Value:
      return PropertyValue(std::int32_t{proto.int32_value()});
    case v1::PropertyValue::kInt64Value:
      return PropertyValue(std::int64_t{proto.int64_value()});
    case v1::PropertyValue::kUint8Value:
      return Narrow<std::uint8_t>(name, proto.uint8_value());
    case v1::PropertyValue::kUint16Value:
      return Narrow<std::uint16_t>(name, proto.uint16_value());
    case v1::PropertyValue::kUint32Value:
      return PropertyValue(std::uint32_t{proto.uint32_value()});
    case v1::PropertyValue::kUint64Value:
      return PropertyValue(std::uint64_t{proto.uint64_value()});
    case v1::PropertyValue::kFloatValue:
      return PropertyValue(proto.float_value());
    case v1::PropertyValue::kDoubleValue:
      return PropertyValue(proto.double_value());
    case v1::PropertyValue::kDecimalValue:
      return PropertyValue(Decimal{proto.decimal_value()});
    case v1::PropertyValue::kCharValue:
      if (proto.char_value() > 0x10FFFF) return bad("is not a Unicode code point");
      return PropertyValue(static_cast<char32_t>(proto.char_value()));
    case v1::PropertyValue::kStringValue:
      return PropertyValue(proto.string_value());
    case v1::PropertyValue::kUuidValue: {
      Uuid uuid;
      if (proto.uuid_value().size() != uuid.bytes.size()) return bad("is not a UUID of 16 bytes");
      proto.uuid_value().copy(uuid.bytes.data(), uuid.bytes.size());
      return PropertyValue(uuid);
    }
    case v1::PropertyValue::kTimestampValue:
      if (!IsValid(proto.timestamp_value())) return bad("is not a valid timestamp");
      return PropertyValue(
          Instant{{proto.timestamp_value().seconds(), proto.timestamp_value().nanos()}});
    case v1::PropertyValue::kTimespanValue:
      if (!IsValid(proto.timespan_value())) return bad("is not a valid time span");
      return PropertyValue(
          TimeSpan{{proto.timespan_value().seconds(), proto.timespan_value().nanos()}});
    case v1::PropertyValue::kUriValue:
      return PropertyValue(Uri{proto.uri_value()});
    case v1::PropertyValue::kDatetimeOffsetValue:
      if (!IsValid(proto.datetime_offset_value())) return bad("is not a valid date and time");
      return PropertyValue(DateTimeOffset{
          {proto.datetime_offset_value().seconds(), proto.datetime_offset_value().nanos()}});
  }
  return bad("has an unknown type");
}

using ProtoProperties = google::protobuf::Map<std::string, v1::PropertyValue>;

Result<PropertyMap> PropertiesFromProto(const ProtoProperties& proto) {
  PropertyMap properties;
  properties.reserve(proto.size());
  for (const auto& [name, value] : proto) {
    Result<PropertyValue> converted = ValueFromProto(name, value);
    if (!converted.ok()) return converted.status();
    properties.emplace_back(name, *std::move(converted));
  }
  return properties;
}

template <typename Proto>
void SetNanotime(const Nanotime& time, Proto* proto) {
  proto->set_seconds(time.seconds);
  proto->set_nanos(time.nanos);
}

struct ValueToProto {
  v1::PropertyValue& proto;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { proto.set_bool_value(value); }
  void operator()(std::int8_t value) const { proto.set_int8_value(value); }
  void operator()(std::int16_t value) const { proto.set_int16_value(value); }
  void operator()(std::int32_t value) const { proto.set_int32_value(value); }
  void operator()(std::int64_t value) const { proto.set_int64_value(value); }
  void operator()(std::uint8_t value) const { proto.set_uint8_value(value); }
  void operator()(std::uint16_t value) const { proto.set_uint16_value(value); }
  void operator()(std::uint32_t value) const { proto.set_uint32_value(value); }
  void operator()(std::uint64_t value) const { proto.set_uint64_value(value); }
  void operator()(float value) const { proto.set_float_value(value); }
  void operator()(double value) const { proto.set_double_value(value); }
  void operator()(const Decimal& value) const { proto.set_decimal_value(value.text); }
  void operator()(char32_t value) const { proto.set_char_value(value); }
  void operator()(const std::string& value) const { proto.set_string_value(value); }
  void operator()(const Uuid& value) const {
    proto.set_uuid_value(value.bytes.data(), value.bytes.size());
  }
  void operator()(const Instant& value) const {
    SetNanotime(value.since_epoch, proto.mutable_timestamp_value());
  }
  void operator()(const TimeSpan& value) const {
    SetNanotime(value.length, proto.mutable_timespan_value());
  }
  void operator()(const Uri& value) const { proto.set_uri_value(value.text); }
  void operator()(const DateTimeOffset& value) const {
    SetNanotime(value.since_epoch, proto.mutable_datetime_offset_value());
  }
};

// Sets each property, over one of the same name.
void PropertiesToProto(const PropertyMap& properties, ProtoProperties& proto) {
  for (const auto& [name, value] : properties) {
    v1::PropertyValue& target = proto[name];
    target.Clear();
    std::visit(ValueToProto{target}, value);
  }
}

bool HasCarried(const v1::Message& proto) {
  return proto.has_content_encoding() || proto.has_user_id() || proto.has_creation_time() ||
         proto.has_group_sequence() || proto.has_priority() || proto.has_durable() ||
         proto.has_first_acquirer() || proto.annotations_size() > 0 || proto.footer_size() > 0;
}

Result<std::shared_ptr<const CarriedProperties>> CarriedFromProto(const v1::Message& proto) {
  auto carried = std::make_shared<CarriedProperties>();
  if (proto.has_content_encoding()) carried->content_encoding = proto.content_encoding();
  if (proto.has_user_id()) carried->user_id = proto.user_id();
  if (proto.has_creation_time()) {
    if (!IsValid(proto.creation_time())) return BadValue("creation_time", "is not a valid time");
    carried->creation_time =
        Nanotime{proto.creation_time().seconds(), proto.creation_time().nanos()};
  }
  if (proto.has_group_sequence()) carried->group_sequence = proto.group_sequence();
  if (proto.has_priority()) carried->priority = proto.priority();
  if (proto.has_durable()) carried->durable = proto.durable();
  if (proto.has_first_acquirer()) carried->first_acquirer = proto.first_acquirer();
  Result<PropertyMap> annotations = PropertiesFromProto(proto.annotations());
  if (!annotations.ok()) return annotations.status();
  carried->annotations = *std::move(annotations);
  Result<PropertyMap> footer = PropertiesFromProto(proto.footer());
  if (!footer.ok()) return footer.status();
  carried->footer = *std::move(footer);
  return std::shared_ptr<const CarriedProperties>(std::move(carried));
}

void CarriedToProto(const CarriedProperties& carried, v1::Message* proto) {
  if (carried.content_encoding) proto->set_content_encoding(*carried.content_encoding);
  if (carried.user_id) proto->set_user_id(*carried.user_id);
  if (carried.creation_time) SetNanotime(*carried.creation_time, proto->mutable_creation_time());
  if (carried.group_sequence) proto->set_group_sequence(*carried.group_sequence);
  if (carried.priority) proto->set_priority(*carried.priority);
  if (carried.durable) proto->set_durable(*carried.durable);
  if (carried.first_acquirer) proto->set_first_acquirer(*carried.first_acquirer);
  PropertiesToProto(carried.annotations, *proto->mutable_annotations());
  PropertiesToProto(carried.footer, *proto->mutable_footer());
}

void MessageToProto(const Message& message, v1::Message* proto) {
  proto->set_body(message.body);
  proto->set_body_kind(static_cast<v1::BodyKind>(message.body_kind));
  if (message.message_id) proto->set_message_id(*message.message_id);
  if (message.correlation_id) proto->set_correlation_id(*message.correlation_id);
  if (message.content_type) proto->set_content_type(*message.content_type);
  if (message.subject) proto->set_subject(*message.subject);
  if (message.to) proto->set_to(*message.to);
  if (message.reply_to) proto->set_reply_to(*message.reply_to);
  if (message.reply_to_session_id) proto->set_reply_to_session_id(*message.reply_to_session_id);
  if (message.session_id) proto->set_session_id(*message.session_id);
  if (message.partition_key) proto->set_partition_key(*message.partition_key);
  if (message.via_partition_key) proto->set_via_partition_key(*message.via_partition_key);
  if (message.time_to_live) ToProto(*message.time_to_live, proto->mutable_time_to_live());
  if (message.scheduled_enqueue_time) {
    ToProto(*message.scheduled_enqueue_time, proto->mutable_scheduled_enqueue_time());
  }
  if (!message.application_properties.empty()) {
    PropertiesToProto(message.application_properties, *proto->mutable_application_properties());
  }
  if (message.carried) CarriedToProto(*message.carried, proto);
}

// What a received and a peeked message have in common.
void StoredToProto(const StoredMessage& stored, const Delivery& delivery,
                   v1::ReceivedMessage* proto) {
  MessageToProto(stored.message, proto->mutable_message());
  if (delivery.changed_properties) {
    PropertiesToProto(*delivery.changed_properties,
                      *proto->mutable_message()->mutable_application_properties());
  }
  proto->set_sequence_number(static_cast<std::int64_t>(stored.number.value()));
  if (stored.enqueued_number != SequenceNumber()) {
    proto->set_enqueued_sequence_number(static_cast<std::int64_t>(stored.enqueued_number.value()));
  }
  ToProto(stored.enqueued_at, proto->mutable_enqueued_time());
  if (stored.facts.expires_at != kNever) {
    ToProto(stored.facts.expires_at, proto->mutable_expires_at());
  }
  proto->set_delivery_count(delivery.count);
  proto->set_size(stored.facts.size);
  if (!stored.dead_letter_source.empty()) {
    proto->set_dead_letter_source(stored.dead_letter_source);
  }
}

}  // namespace

Status CheckRequestSize(const v1::SendRequest& request) {
  for (const v1::Message& message : request.messages()) {
    if (message.body().size() > kHeldBodyBytesMax) {
      return {ErrorCode::kMessageSizeExceeded,
              "a message over 1 MiB cannot be sent in one piece; send it in chunks over "
              "SendStream"};
    }
  }
  return {};
}

Result<Message> FromProto(v1::Message& proto) {
  Message message;
  message.body = std::move(*proto.mutable_body());
  if (!v1::BodyKind_IsValid(proto.body_kind())) return BadValue("body_kind", "is unknown");
  message.body_kind = static_cast<BodyKind>(proto.body_kind());
  if (proto.has_message_id()) message.message_id = proto.message_id();
  if (proto.has_correlation_id()) message.correlation_id = proto.correlation_id();
  if (proto.has_content_type()) message.content_type = proto.content_type();
  if (proto.has_subject()) message.subject = proto.subject();
  if (proto.has_to()) message.to = proto.to();
  if (proto.has_reply_to()) message.reply_to = proto.reply_to();
  if (proto.has_reply_to_session_id()) message.reply_to_session_id = proto.reply_to_session_id();
  if (proto.has_session_id()) message.session_id = proto.session_id();
  if (proto.has_partition_key()) message.partition_key = proto.partition_key();
  if (proto.has_via_partition_key()) message.via_partition_key = proto.via_partition_key();
  if (proto.has_time_to_live()) {
    Result<Duration> time_to_live = DurationFromProto("time_to_live", proto.time_to_live());
    if (!time_to_live.ok()) return time_to_live.status();
    message.time_to_live = *time_to_live;
  }
  if (proto.has_scheduled_enqueue_time()) {
    Result<Timestamp> time =
        TimeFromProto("scheduled_enqueue_time", proto.scheduled_enqueue_time());
    if (!time.ok()) return time.status();
    message.scheduled_enqueue_time = *time;
  }
  Result<PropertyMap> properties = PropertiesFromProto(proto.application_properties());
  if (!properties.ok()) return properties.status();
  message.application_properties = *std::move(properties);
  if (HasCarried(proto)) {
    auto carried = CarriedFromProto(proto);
    if (!carried.ok()) return carried.status();
    message.carried = *std::move(carried);
  }
  return message;
}

Result<std::vector<Message>> FromProto(google::protobuf::RepeatedPtrField<v1::Message>& protos) {
  std::vector<Message> messages;
  messages.reserve(static_cast<std::size_t>(protos.size()));
  for (v1::Message& proto : protos) {
    Result<Message> message = FromProto(proto);
    if (!message.ok()) return message.status();
    messages.push_back(*std::move(message));
  }
  return messages;
}

Result<Settlement> FromProto(const v1::Settlement& proto) {
  Settlement settlement;
  const ProtoProperties* properties = nullptr;
  switch (proto.verb_case()) {
    case v1::Settlement::kComplete:
      settlement.verb = SettleVerb::kComplete;
      break;
    case v1::Settlement::kAbandon:
      settlement.verb = SettleVerb::kAbandon;
      properties = &proto.abandon().properties_to_modify();
      break;
    case v1::Settlement::kDeadLetter:
      settlement.verb = SettleVerb::kDeadLetter;
      if (proto.dead_letter().has_reason()) settlement.reason = proto.dead_letter().reason();
      if (proto.dead_letter().has_description()) {
        settlement.description = proto.dead_letter().description();
      }
      properties = &proto.dead_letter().properties_to_modify();
      break;
    case v1::Settlement::kRelease:
      settlement.verb = SettleVerb::kRelease;
      break;
    case v1::Settlement::VERB_NOT_SET:
      return BadValue("settlement", "has no verb: complete, abandon, dead_letter or release");
  }
  if (properties != nullptr) {
    Result<PropertyMap> converted = PropertiesFromProto(*properties);
    if (!converted.ok()) return converted.status();
    settlement.properties_to_modify = *std::move(converted);
  }
  return settlement;
}

TokenList TokensFromProto(const google::protobuf::RepeatedPtrField<std::string>& protos) {
  TokenList tokens;
  tokens.reserve(static_cast<std::size_t>(protos.size()));
  for (const std::string& bytes : protos) {
    if (bytes.size() == LockToken::kSize) {
      tokens.emplace_back(LockToken::FromBytes(bytes));
    } else if (bytes.empty()) {
      tokens.emplace_back(Status(ErrorCode::kInvalidOperation,
                                 "there is no lock token: a peeked message cannot be settled"));
    } else {
      tokens.emplace_back(Status(ErrorCode::kArgumentError, "a lock token has 16 bytes"));
    }
  }
  return tokens;
}

Result<ReceiveMode> FromProto(v1::ReceiveMode mode) {
  switch (mode) {
    case v1::RECEIVE_MODE_PEEK_LOCK:
      return ReceiveMode::kPeekLock;
    case v1::RECEIVE_MODE_RECEIVE_AND_DELETE:
      return ReceiveMode::kReceiveAndDelete;
    default:
      return BadValue("mode", "is unknown");
  }
}

Result<Duration> WaitFromProto(const google::protobuf::Duration& proto) {
  return DurationFromProto("max_wait", proto);
}

Credit FromProto(const v1::ReceiveCredit& proto) {
  Credit credit;
  credit.messages = proto.messages();
  if (proto.has_bytes()) credit.bytes = proto.bytes();
  return credit;
}

Result<QueueDescription> FromProto(const v1::QueueProperties& proto) {
  QueueDescription queue;
  queue.name = proto.name();
  const auto set = [](std::string_view field, bool has, const google::protobuf::Duration& from,
                      Duration& to) -> Status {
    if (!has) return {};
    Result<Duration> duration = DurationFromProto(field, from);
    if (duration.ok()) to = *duration;
    return duration.status();
  };
  WHARF_RETURN_IF_ERROR(
      set("lock_duration", proto.has_lock_duration(), proto.lock_duration(), queue.lock_duration));
  WHARF_RETURN_IF_ERROR(set("duplicate_detection_history_time_window",
                            proto.has_duplicate_detection_history_time_window(),
                            proto.duplicate_detection_history_time_window(),
                            queue.duplicate_detection_history_time_window));
  WHARF_RETURN_IF_ERROR(
      set("default_message_time_to_live", proto.has_default_message_time_to_live(),
          proto.default_message_time_to_live(), queue.default_message_time_to_live));
  WHARF_RETURN_IF_ERROR(set("auto_delete_on_idle", proto.has_auto_delete_on_idle(),
                            proto.auto_delete_on_idle(), queue.auto_delete_on_idle));
  if (proto.has_max_size_in_megabytes()) {
    queue.max_size_in_megabytes = proto.max_size_in_megabytes();
  }
  if (proto.has_max_message_size_in_kilobytes()) {
    queue.max_message_size_in_kilobytes = proto.max_message_size_in_kilobytes();
  }
  queue.requires_duplicate_detection = proto.requires_duplicate_detection();
  queue.requires_session = proto.requires_session();
  queue.dead_lettering_on_message_expiration = proto.dead_lettering_on_message_expiration();
  if (proto.has_max_delivery_count()) queue.max_delivery_count = proto.max_delivery_count();
  if (proto.has_enable_batched_operations()) {
    queue.enable_batched_operations = proto.enable_batched_operations();
  }
  switch (proto.status()) {
    case v1::ENTITY_STATUS_UNSPECIFIED:
    case v1::ENTITY_STATUS_ACTIVE:
      queue.status = EntityStatus::kActive;
      break;
    case v1::ENTITY_STATUS_DISABLED:
      queue.status = EntityStatus::kDisabled;
      break;
    case v1::ENTITY_STATUS_SEND_DISABLED:
      queue.status = EntityStatus::kSendDisabled;
      break;
    case v1::ENTITY_STATUS_RECEIVE_DISABLED:
      queue.status = EntityStatus::kReceiveDisabled;
      break;
    default:
      return BadValue("status", "is unknown");
  }
  // An empty name means none, as the SDKs send it (FWD-19).
  if (!proto.forward_to().empty()) queue.forward_to = proto.forward_to();
  if (!proto.forward_dead_lettered_messages_to().empty()) {
    queue.forward_dead_lettered_messages_to = proto.forward_dead_lettered_messages_to();
  }
  queue.enable_partitioning = proto.enable_partitioning();
  if (proto.has_user_metadata()) queue.user_metadata = proto.user_metadata();
  if (proto.has_support_ordering()) queue.support_ordering = proto.support_ordering();
  queue.enable_express = proto.enable_express();
  return queue;
}

void ToProto(Timestamp time, google::protobuf::Timestamp* proto) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  proto->set_seconds(seconds.time_since_epoch().count());
  proto->set_nanos(static_cast<std::int32_t>((time - seconds).count() * kNanosPerMicro));
}

void ToProto(Duration span, google::protobuf::Duration* proto) {
  proto->set_seconds(span.count() / kMicrosPerSecond);
  proto->set_nanos(static_cast<std::int32_t>(span.count() % kMicrosPerSecond * kNanosPerMicro));
}

void ToProto(const Delivered& delivered, v1::ReceivedMessage* proto) {
  StoredToProto(*delivered.message, delivered.delivery, proto);
  if (delivered.token.is_zero()) return;
  proto->set_lock_token(delivered.token.ToBytes());
  ToProto(delivered.until, proto->mutable_locked_until());
}

void ToProto(const PeekedMessage& peeked, v1::ReceivedMessage* proto) {
  StoredToProto(*peeked.message, peeked.delivery, proto);
}

void ToProto(const Credit& credit, v1::ReceiveCredit* proto) {
  proto->set_messages(static_cast<std::uint32_t>(
      std::min<std::uint64_t>(credit.messages, std::numeric_limits<std::uint32_t>::max())));
  if (credit.bytes) proto->set_bytes(*credit.bytes);
}

void ToProto(const Result<SequenceNumber>& result, std::string_view entity_path,
             v1::SendResult* proto) {
  if (result.ok()) {
    proto->set_sequence_number(static_cast<std::int64_t>(result->value()));
  } else {
    *proto->mutable_error() = ToProto(result.status(), entity_path);
  }
}

void RenewToProto(const RenewReceipt& receipt,
                  const google::protobuf::RepeatedPtrField<std::string>& tokens,
                  std::string_view entity_path,
                  google::protobuf::RepeatedPtrField<v1::TokenResult>* results) {
  for (std::size_t i = 0; i < receipt.size(); ++i) {
    v1::TokenResult* result = results->Add();
    result->set_lock_token(tokens.Get(static_cast<int>(i)));
    if (receipt[i].ok()) {
      ToProto(*receipt[i], result->mutable_locked_until());
    } else {
      *result->mutable_error() = ToProto(receipt[i].status(), entity_path);
    }
  }
}

void ToProto(const EntityRecord& record, v1::QueueProperties* proto) {
  const QueueDescription& queue = record.description;
  proto->set_name(queue.name);
  ToProto(queue.lock_duration, proto->mutable_lock_duration());
  proto->set_max_size_in_megabytes(queue.max_size_in_megabytes);
  proto->set_max_message_size_in_kilobytes(queue.max_message_size_in_kilobytes);
  proto->set_requires_duplicate_detection(queue.requires_duplicate_detection);
  ToProto(queue.duplicate_detection_history_time_window,
          proto->mutable_duplicate_detection_history_time_window());
  proto->set_requires_session(queue.requires_session);
  if (queue.default_message_time_to_live != kUnlimited) {
    ToProto(queue.default_message_time_to_live, proto->mutable_default_message_time_to_live());
  }
  proto->set_dead_lettering_on_message_expiration(queue.dead_lettering_on_message_expiration);
  proto->set_max_delivery_count(queue.max_delivery_count);
  proto->set_enable_batched_operations(queue.enable_batched_operations);
  // The proto's numbers are Azure's plus one for Active and Disabled, and the same for the rest.
  switch (queue.status) {
    case EntityStatus::kActive:
      proto->set_status(v1::ENTITY_STATUS_ACTIVE);
      break;
    case EntityStatus::kDisabled:
      proto->set_status(v1::ENTITY_STATUS_DISABLED);
      break;
    case EntityStatus::kSendDisabled:
      proto->set_status(v1::ENTITY_STATUS_SEND_DISABLED);
      break;
    case EntityStatus::kReceiveDisabled:
      proto->set_status(v1::ENTITY_STATUS_RECEIVE_DISABLED);
      break;
  }
  if (queue.forward_to) proto->set_forward_to(*queue.forward_to);
  if (queue.forward_dead_lettered_messages_to) {
    proto->set_forward_dead_lettered_messages_to(*queue.forward_dead_lettered_messages_to);
  }
  if (queue.auto_delete_on_idle != kUnlimited) {
    ToProto(queue.auto_delete_on_idle, proto->mutable_auto_delete_on_idle());
  }
  proto->set_enable_partitioning(queue.enable_partitioning);
  if (queue.user_metadata) proto->set_user_metadata(*queue.user_metadata);
  proto->set_support_ordering(queue.support_ordering);
  proto->set_enable_express(queue.enable_express);
}

void ToProto(const QueueSnapshot& snapshot, v1::QueueRuntimeProperties* proto) {
  proto->set_name(snapshot.record.description.name);
  proto->set_active_message_count(snapshot.main.messages());
  proto->set_locked_message_count(snapshot.main.locked);
  proto->set_dead_letter_message_count(snapshot.dead_letter.messages());
  proto->set_total_message_count(snapshot.main.messages() + snapshot.dead_letter.messages());
  proto->set_size_in_bytes(snapshot.main.bytes + snapshot.dead_letter.bytes);
  ToProto(snapshot.record.created_at, proto->mutable_created_at());
  ToProto(snapshot.record.updated_at, proto->mutable_updated_at());
  ToProto(snapshot.main.accessed_at, proto->mutable_accessed_at());
}

void ToProto(const BrokerStatistics& statistics, v1::BrokerStatistics* proto) {
  const ShardStatistics& shard = statistics.shard;
  proto->set_version(statistics.version);
  ToProto(statistics.started_at, proto->mutable_started_at());
  proto->set_entity_count(shard.entities);
  proto->set_sent_message_count(shard.messages_sent);
  proto->set_delivered_message_count(shard.messages_delivered);
  proto->set_settled_message_count(shard.messages_settled);
  proto->set_turn_count(shard.turns);
  proto->set_change_count(shard.changes);
  proto->set_commit_count(static_cast<std::int64_t>(statistics.commits));
  proto->set_sync_count(static_cast<std::int64_t>(statistics.syncs));
  proto->set_synced_bytes(static_cast<std::int64_t>(statistics.synced_bytes));
}

}  // namespace wharf
