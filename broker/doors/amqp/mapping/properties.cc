#include "broker/doors/amqp/mapping/properties.h"

#include <algorithm>
#include <optional>
#include <string>

#include "broker/core/messages/amqp_field.h"
#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/mapping/property_bytes.h"

namespace wharf::amqp {

namespace {

void TakeId(Reader& reader, std::optional<std::string>& id) {
  const Type type = reader.PeekType();
  id = IdTextOf(reader.TakeEncoded());
  if (reader.ok() && !id) reader.Fail(ATypeName(type) + " as an id");
}

// One outside of the calendar stays in the sender's bytes.
void TakeCreationTime(Reader& reader, std::optional<Nanotime>& time) {
  TimestampMs taken;
  const std::string_view rest = reader.rest();
  reader.Read(taken);
  if (!reader.ok()) return;
  const auto plain = PlainOf(rest.substr(0, rest.size() - reader.rest().size()));
  const auto* const instant = plain ? std::get_if<Instant>(&*plain) : nullptr;
  if (instant != nullptr) time = instant->since_epoch;
}

void WriteText(Writer& writer, const std::optional<std::string>& text) {
  text ? writer.WriteString(*text) : writer.WriteNull();
}

// Another client's content type may be any text.
void WriteSymbol(Writer& writer, const std::optional<std::string>& text) {
  const bool is_ascii = text && std::all_of(text->begin(), text->end(), [](char letter) {
                          return static_cast<unsigned char>(letter) < 0x80;
                        });
  is_ascii ? writer.WriteSymbol(*text) : writer.WriteNull();
}

}  // namespace

void TakeField(Reader& reader, AmqpField field, wharf::Message& message,
               CarriedProperties& carried) {
  if (reader.TakeNull()) return;
  switch (field) {
    case AmqpField::kMessageId:
    case AmqpField::kCorrelationId:
      return TakeId(reader, message.*TextFieldOf(field));
    case AmqpField::kTo:
    case AmqpField::kSubject:
    case AmqpField::kReplyTo:
    case AmqpField::kGroupId:
    case AmqpField::kReplyToGroupId:
      return reader.Read((message.*TextFieldOf(field)).emplace());
    case AmqpField::kUserId:
      carried.user_id = std::string(reader.ReadBinary());
      return;
    case AmqpField::kContentType:
      message.content_type = std::string(reader.ReadSymbol());
      return;
    case AmqpField::kContentEncoding:
      carried.content_encoding = std::string(reader.ReadSymbol());
      return;
    case AmqpField::kAbsoluteExpiryTime: {
      TimestampMs kept_as_its_bytes;
      return reader.Read(kept_as_its_bytes);
    }
    case AmqpField::kCreationTime:
      return TakeCreationTime(reader, carried.creation_time);
    case AmqpField::kGroupSequence:
      return reader.Read(carried.group_sequence.emplace());
    case AmqpField::kEnd:
      return reader.Fail("more fields than properties have");
  }
}

void WriteField(Writer& writer, AmqpField field, const wharf::Message& message,
                const CarriedProperties& carried) {
  switch (field) {
    case AmqpField::kMessageId:
    case AmqpField::kCorrelationId:
    case AmqpField::kTo:
    case AmqpField::kSubject:
    case AmqpField::kReplyTo:
    case AmqpField::kGroupId:
    case AmqpField::kReplyToGroupId:
      return WriteText(writer, message.*TextFieldOf(field));
    case AmqpField::kUserId:
      carried.user_id ? writer.WriteBinary(*carried.user_id) : writer.WriteNull();
      return;
    case AmqpField::kContentType:
      return WriteSymbol(writer, message.content_type);
    case AmqpField::kContentEncoding:
      return WriteSymbol(writer, carried.content_encoding);
    case AmqpField::kCreationTime:
      return WriteProperty(writer, carried.creation_time
                                       ? PropertyValue(Instant{*carried.creation_time})
                                       : PropertyValue());
    case AmqpField::kGroupSequence:
      carried.group_sequence ? writer.Write(*carried.group_sequence) : writer.WriteNull();
      return;
    case AmqpField::kAbsoluteExpiryTime:
    case AmqpField::kEnd:
      return writer.WriteNull();
  }
}

}  // namespace wharf::amqp
