#include "broker/schema/message_record.h"

#include <bit>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "broker/core/messages/amqp_field.h"
#include "broker/schema/amqp_form_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kMessageVersion = 1;
// The same, of a message that shares the hint for its time to live: a field for that would make the
// bits of all fields longer by three bytes.
constexpr std::uint8_t kMessageVersionSharing = 2;

// The values are on disk; a new field goes to the end.
enum class MessageField : std::uint8_t {
  kMessageId,
  kCorrelationId,
  kContentType,
  kSubject,
  kTo,
  kReplyTo,
  kReplyToSessionId,
  kSessionId,
  kPartitionKey,
  kViaPartitionKey,
  kTimeToLive,
  kScheduledEnqueueTime,
  kApplicationProperties,
  kBodyKind,
  kBodyRef,
  kEnqueuedNumber,
  kDeadLetterSource,
  kContentEncoding,
  kUserId,
  kCreationTime,
  kGroupSequence,
  kPriority,
  kDurable,
  kFirstAcquirer,
  kAnnotations,
  kFooter,
  // Has no value: the message is received through the session that kSessionId names.
  kIsInSession,
  // Of a body that copies share.
  kBodyHandle,
  kTrack,
  kHops,
  // Texts that it tells are in no field of their own.
  kAmqpForm,
  kEnd,
};

constexpr std::uint64_t Bit(MessageField field) {
  return std::uint64_t{1} << static_cast<int>(field);
}

void WriteNanotime(ByteWriter& writer, const Nanotime& time) {
  writer.SignedVarint(time.seconds);
  writer.SignedVarint(time.nanos);
}

Nanotime ReadNanotime(ByteReader& reader) {
  Nanotime time;
  time.seconds = reader.SignedVarint();
  time.nanos = reader.Number<std::int32_t>();
  return time;
}

struct ValueWriter {
  ByteWriter& writer;

  void operator()(std::monostate) const {}
  void operator()(bool value) const { writer.Byte(value ? 1 : 0); }
  void operator()(float value) const { writer.Fixed32(std::bit_cast<std::uint32_t>(value)); }
  void operator()(double value) const { writer.Fixed64(std::bit_cast<std::uint64_t>(value)); }
  void operator()(char32_t value) const { writer.Varint(value); }
  void operator()(const std::string& value) const { writer.Text(value); }
  void operator()(const Decimal& value) const { writer.Text(value.text); }
  void operator()(const Uri& value) const { writer.Text(value.text); }
  void operator()(const EncodedValue& value) const { writer.Text(value.bytes); }
  void operator()(const Uuid& value) const { writer.Raw({value.bytes.data(), value.bytes.size()}); }
  void operator()(const Instant& value) const { WriteNanotime(writer, value.since_epoch); }
  void operator()(const TimeSpan& value) const { WriteNanotime(writer, value.length); }
  void operator()(const DateTimeOffset& value) const { WriteNanotime(writer, value.since_epoch); }
  template <typename Integer>
  void operator()(Integer value) const {
    if constexpr (std::is_signed_v<Integer>) {
      writer.SignedVarint(value);
    } else {
      writer.Varint(value);
    }
  }
};

template <typename T>
T ReadValue(ByteReader& reader) {
  if constexpr (std::is_same_v<T, std::monostate>) {
    return {};
  } else if constexpr (std::is_same_v<T, bool>) {
    return reader.Byte() != 0;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(reader.Fixed32());
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(reader.Fixed64());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string(reader.Text());
  } else if constexpr (std::is_same_v<T, Decimal> || std::is_same_v<T, Uri> ||
                       std::is_same_v<T, EncodedValue>) {
    return T{std::string(reader.Text())};
  } else if constexpr (std::is_same_v<T, Uuid>) {
    Uuid uuid;
    reader.Raw(uuid.bytes.size()).copy(uuid.bytes.data(), uuid.bytes.size());
    return uuid;
  } else if constexpr (std::is_class_v<T>) {
    return T{ReadNanotime(reader)};
  } else if constexpr (std::is_same_v<T, char32_t>) {
    return reader.Number<std::uint32_t>();
  } else {
    return reader.Number<T>();
  }
}

// Reads the alternative with the number `type`.
template <std::size_t... kIndexes>
PropertyValue ReadValueOfType(std::size_t type, ByteReader& reader,
                              std::index_sequence<kIndexes...>) {
  PropertyValue value;
  const bool is_known =
      ((type == kIndexes &&
        (value.emplace<kIndexes>(
             ReadValue<std::variant_alternative_t<kIndexes, PropertyValue>>(reader)),
         true)) ||
       ...);
  if (!is_known) reader.Fail();
  return value;
}

// The fields that are present, as bits; then the fields. Both walk the message in the order of
// MessageField.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& fields) : writer_(fields) {}

  void Text(MessageField field, const std::optional<std::string>& text) {
    if (!text) return;
    Present(field).Text(*text);
  }
  void Number(MessageField field, const std::optional<std::uint32_t>& number) {
    if (!number) return;
    Present(field).Varint(*number);
  }
  void Flag(MessageField field, const std::optional<bool>& flag) {
    if (!flag) return;
    Present(field).Byte(*flag ? 1 : 0);
  }
  void Properties(MessageField field, const PropertyMap& properties) {
    if (properties.empty()) return;
    WriteProperties(Present(field), properties);
  }
  ByteWriter& Present(MessageField field) {
    bits_ |= Bit(field);
    return writer_;
  }

  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
  ByteWriter writer_;
};

void WriteCarried(FieldWriter& fields, const CarriedProperties& carried) {
  fields.Text(MessageField::kContentEncoding, carried.content_encoding);
  fields.Text(MessageField::kUserId, carried.user_id);
  if (carried.creation_time) {
    WriteNanotime(fields.Present(MessageField::kCreationTime), *carried.creation_time);
  }
  fields.Number(MessageField::kGroupSequence, carried.group_sequence);
  fields.Number(MessageField::kPriority, carried.priority);
  fields.Flag(MessageField::kDurable, carried.durable);
  fields.Flag(MessageField::kFirstAcquirer, carried.first_acquirer);
  fields.Properties(MessageField::kAnnotations, carried.annotations);
  fields.Properties(MessageField::kFooter, carried.footer);
}

// But for those that the form tells.
class TextWriter {
 public:
  TextWriter(FieldWriter& fields, const Message& message, const AmqpForm& form)
      : fields_(fields), message_(message), form_(form) {}

  void operator()(MessageField field, AmqpField place) {
    if (form_.Find(place) == nullptr) fields_.Text(field, message_.*TextFieldOf(place));
  }

 private:
  FieldWriter& fields_;
  const Message& message_;
  const AmqpForm& form_;
};

void WriteFields(FieldWriter& fields, const StoredMessage& stored) {
  const Message& message = stored.message;
  const AmqpForm form = FormToKeep(message);
  TextWriter write_text(fields, message, form);
  write_text(MessageField::kMessageId, AmqpField::kMessageId);
  write_text(MessageField::kCorrelationId, AmqpField::kCorrelationId);
  write_text(MessageField::kContentType, AmqpField::kContentType);
  write_text(MessageField::kSubject, AmqpField::kSubject);
  write_text(MessageField::kTo, AmqpField::kTo);
  write_text(MessageField::kReplyTo, AmqpField::kReplyTo);
  write_text(MessageField::kReplyToSessionId, AmqpField::kReplyToGroupId);
  write_text(MessageField::kSessionId, AmqpField::kGroupId);
  fields.Text(MessageField::kPartitionKey, message.partition_key);
  fields.Text(MessageField::kViaPartitionKey, message.via_partition_key);
  if (message.time_to_live) {
    fields.Present(MessageField::kTimeToLive).SignedVarint(message.time_to_live->count());
  }
  if (message.scheduled_enqueue_time) {
    WriteTime(fields.Present(MessageField::kScheduledEnqueueTime), *message.scheduled_enqueue_time);
  }
  fields.Properties(MessageField::kApplicationProperties, message.application_properties);
  if (message.body_kind != BodyKind::kData) {
    fields.Present(MessageField::kBodyKind).Byte(static_cast<std::uint8_t>(message.body_kind));
  }
  if (stored.facts.body_ref) {
    WriteBodyRef(fields.Present(MessageField::kBodyRef), *stored.facts.body_ref);
  }
  if (stored.enqueued_number.value() != 0) {
    fields.Present(MessageField::kEnqueuedNumber).Varint(stored.enqueued_number.value());
  }
  if (!stored.dead_letter_source.empty()) {
    fields.Present(MessageField::kDeadLetterSource).Text(stored.dead_letter_source);
  }
  if (message.carried) WriteCarried(fields, *message.carried);
  if (!stored.facts.session_id.empty()) fields.Present(MessageField::kIsInSession);
  if (stored.facts.body_ref && stored.facts.body_ref->is_shared()) {
    fields.Present(MessageField::kBodyHandle).Fixed64(stored.facts.body_ref->handle);
  }
  if (stored.facts.track) fields.Present(MessageField::kTrack).Byte(*stored.facts.track);
  if (stored.hops > 0) fields.Present(MessageField::kHops).Varint(stored.hops);
  if (!form.is_empty()) WriteAmqpForm(fields.Present(MessageField::kAmqpForm), form);
}

class FieldReader {
 public:
  FieldReader(std::uint64_t bits, ByteReader& reader) : bits_(bits), reader_(reader) {}

  bool Has(MessageField field) const { return (bits_ & Bit(field)) != 0; }
  void Text(MessageField field, std::optional<std::string>& text) {
    if (Has(field)) text = std::string(reader_.Text());
  }
  void Number(MessageField field, std::optional<std::uint32_t>& number) {
    if (Has(field)) number = reader_.Number<std::uint32_t>();
  }
  void Flag(MessageField field, std::optional<bool>& flag) {
    if (Has(field)) flag = reader_.Byte() != 0;
  }
  void Properties(MessageField field, PropertyMap& properties) {
    if (Has(field)) properties = ReadProperties(reader_);
  }
  ByteReader& reader() { return reader_; }

 private:
  const std::uint64_t bits_;
  ByteReader& reader_;
};

// What each record begins with.
struct Beginning {
  std::uint8_t version = 0;
  MessageHead head;
  std::uint64_t bits = 0;

  bool is_known() const {
    const bool has_known_version = version == kMessageVersion || version == kMessageVersionSharing;
    return has_known_version && bits < Bit(MessageField::kEnd);
  }
};

Beginning ReadBeginning(ByteReader& reader) {
  Beginning beginning;
  MessageHead& head = beginning.head;
  beginning.version = reader.Byte();
  head.shares_hint = beginning.version == kMessageVersionSharing;
  head.enqueued_at = ReadTime(reader);
  head.size = reader.SignedVarint();
  head.expires_at = ReadTime(reader);
  beginning.bits = reader.Varint();
  head.has_own_rows = (beginning.bits & Bit(MessageField::kBodyRef)) != 0;
  head.is_in_session = (beginning.bits & Bit(MessageField::kIsInSession)) != 0;
  return beginning;
}

Status DamagedRecord(SequenceNumber number) {
  return Status::Damage(
      fmt::format("the stored message {} is damaged or of a newer format", number.value()));
}

void ReadCarried(FieldReader& fields, Message& message, std::uint64_t bits) {
  constexpr std::uint64_t kCarried =
      Bit(MessageField::kIsInSession) - Bit(MessageField::kContentEncoding);
  if ((bits & kCarried) == 0) return;
  auto carried = std::make_shared<CarriedProperties>();
  fields.Text(MessageField::kContentEncoding, carried->content_encoding);
  fields.Text(MessageField::kUserId, carried->user_id);
  if (fields.Has(MessageField::kCreationTime)) {
    carried->creation_time = ReadNanotime(fields.reader());
  }
  fields.Number(MessageField::kGroupSequence, carried->group_sequence);
  fields.Number(MessageField::kPriority, carried->priority);
  fields.Flag(MessageField::kDurable, carried->durable);
  fields.Flag(MessageField::kFirstAcquirer, carried->first_acquirer);
  fields.Properties(MessageField::kAnnotations, carried->annotations);
  fields.Properties(MessageField::kFooter, carried->footer);
  message.carried = std::move(carried);
}

void ReadFields(FieldReader& fields, StoredMessage& stored) {
  Message& message = stored.message;
  fields.Text(MessageField::kMessageId, message.message_id);
  fields.Text(MessageField::kCorrelationId, message.correlation_id);
  fields.Text(MessageField::kContentType, message.content_type);
  fields.Text(MessageField::kSubject, message.subject);
  fields.Text(MessageField::kTo, message.to);
  fields.Text(MessageField::kReplyTo, message.reply_to);
  fields.Text(MessageField::kReplyToSessionId, message.reply_to_session_id);
  fields.Text(MessageField::kSessionId, message.session_id);
  fields.Text(MessageField::kPartitionKey, message.partition_key);
  fields.Text(MessageField::kViaPartitionKey, message.via_partition_key);
  if (fields.Has(MessageField::kTimeToLive)) {
    message.time_to_live = Duration(fields.reader().SignedVarint());
  }
  if (fields.Has(MessageField::kScheduledEnqueueTime)) {
    message.scheduled_enqueue_time = ReadTime(fields.reader());
  }
  fields.Properties(MessageField::kApplicationProperties, message.application_properties);
  if (fields.Has(MessageField::kBodyKind)) {
    message.body_kind = static_cast<BodyKind>(fields.reader().Byte());
  }
  if (fields.Has(MessageField::kBodyRef)) stored.facts.body_ref = ReadBodyRef(fields.reader());
  if (fields.Has(MessageField::kEnqueuedNumber)) {
    stored.enqueued_number = SequenceNumber(fields.reader().Varint());
  }
  if (fields.Has(MessageField::kDeadLetterSource)) {
    stored.dead_letter_source = std::string(fields.reader().Text());
  }
}

}  // namespace

void WriteProperties(ByteWriter& writer, const PropertyMap& properties) {
  writer.Varint(properties.size());
  for (const auto& [name, value] : properties) {
    writer.Text(name);
    writer.Byte(static_cast<std::uint8_t>(value.index()));
    std::visit(ValueWriter{writer}, value);
  }
}

PropertyMap ReadProperties(ByteReader& reader) {
  PropertyMap properties;
  // Each property takes at least two bytes: a count that promises more is refused before anything
  // is reserved.
  const std::uint64_t count = reader.Varint();
  if (count > reader.left() / 2) reader.Fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    std::string name(reader.Text());
    const std::size_t type = reader.Byte();
    properties.emplace_back(
        std::move(name),
        ReadValueOfType(type, reader,
                        std::make_index_sequence<std::variant_size_v<PropertyValue>>()));
  }
  return properties;
}

void WriteEntityId(ByteWriter& writer, EntityId id) {
  writer.Byte(id.bucket());
  writer.Varint(id.number());
}

// Fails the reader if no entity has such a number.
EntityId ReadEntityId(ByteReader& reader) {
  const Bucket bucket = reader.Byte();
  const std::uint64_t number = reader.Varint();
  const EntityId id(bucket, number);
  if (id.number() != number) reader.Fail();
  return id;
}

void WriteTime(ByteWriter& writer, Timestamp time) {
  writer.SignedVarint(time.time_since_epoch().count());
}

Timestamp ReadTime(ByteReader& reader) { return Timestamp(Duration(reader.SignedVarint())); }

void WriteBodyRef(ByteWriter& writer, const BodyRef& body) {
  WriteEntityId(writer, body.entity);
  writer.Varint(body.number.value());
  writer.Varint(body.size);
}

BodyRef ReadBodyRef(ByteReader& reader) {
  BodyRef body;
  body.entity = ReadEntityId(reader);
  body.number = SequenceNumber(reader.Varint());
  body.size = reader.Varint();
  return body;
}

std::string EncodeMessage(const StoredMessage& message) {
  MessageEncoder encoder;
  std::string record;
  for (const std::string_view piece : encoder.Encode(message)) record.append(piece);
  return record;
}

std::span<const std::string_view> MessageEncoder::Encode(const StoredMessage& message) {
  fields_.clear();
  FieldWriter fields(fields_);
  WriteFields(fields, message);
  head_.clear();
  ByteWriter writer(head_);
  writer.Byte(message.facts.shares_hint ? kMessageVersionSharing : kMessageVersion);
  WriteTime(writer, message.enqueued_at);
  writer.SignedVarint(message.facts.size);
  WriteTime(writer, message.facts.expires_at);
  writer.Varint(fields.bits());
  const std::string_view body =
      message.facts.body_ref ? std::string_view() : std::string_view(message.message.body);
  pieces_ = {head_, fields_, body};
  return pieces_;
}

Result<StoredMessage> DecodeMessage(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  StoredMessage stored;
  stored.number = number;
  const Beginning beginning = ReadBeginning(reader);
  stored.facts.shares_hint = beginning.head.shares_hint;
  stored.enqueued_at = beginning.head.enqueued_at;
  stored.facts.size = beginning.head.size;
  stored.facts.expires_at = beginning.head.expires_at;
  FieldReader fields(beginning.bits, reader);
  ReadFields(fields, stored);
  ReadCarried(fields, stored.message, beginning.bits);
  if (fields.Has(MessageField::kBodyHandle)) {
    if (stored.facts.body_ref) stored.facts.body_ref->handle = reader.Fixed64();
    if (!stored.facts.body_ref || !stored.facts.body_ref->is_shared()) reader.Fail();
  }
  if (fields.Has(MessageField::kTrack)) stored.facts.track = fields.reader().Byte();
  if (fields.Has(MessageField::kHops)) stored.hops = reader.Number<std::uint32_t>();
  if (fields.Has(MessageField::kAmqpForm)) ReadAmqpForm(reader, stored.message);
  if (fields.Has(MessageField::kIsInSession)) {
    stored.facts.session_id = stored.message.session_id.value_or(std::string());
    if (stored.facts.session_id.empty()) reader.Fail();
  }
  const bool is_known = beginning.is_known() &&
                        stored.message.body_kind <= BodyKind::kDataSections &&
                        stored.facts.is_sane();
  if (!stored.facts.body_ref) stored.message.body = std::string(reader.Rest());
  if (is_known && reader.is_whole()) return stored;
  return DamagedRecord(number);
}

Result<MessageHead> DecodeMessageHead(SequenceNumber number, std::string_view record) {
  ByteReader reader(record);
  const Beginning beginning = ReadBeginning(reader);
  const bool is_known = !reader.failed() && beginning.is_known() && beginning.head.size >= 0;
  if (!is_known) return DamagedRecord(number);
  return beginning.head;
}

}  // namespace wharf
