#include "broker/core/messages/amqp_field.h"

#include "broker/core/messages/encoded_value.h"

namespace wharf {
namespace {

template <typename T>
std::optional<T> ValueOf(std::string_view encoded) {
  const auto plain = PlainOf(encoded);
  const T* const value = plain ? std::get_if<T>(&*plain) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

// One outside of the calendar is said by nobody else.
bool IsTimeAsEncoded(const std::optional<Nanotime>& time, std::string_view encoded) {
  const auto instant = ValueOf<Instant>(encoded);
  return instant ? time == instant->since_epoch : !time;
}

bool IsCarriedAsEncoded(const CarriedProperties& carried, AmqpField field,
                        std::string_view encoded) {
  switch (field) {
    case AmqpField::kUserId:
      return carried.user_id && carried.user_id == TextOf(field, encoded);
    case AmqpField::kContentEncoding:
      return carried.content_encoding && carried.content_encoding == TextOf(field, encoded);
    case AmqpField::kCreationTime:
      return IsTimeAsEncoded(carried.creation_time, encoded);
    case AmqpField::kGroupSequence:
      return carried.group_sequence && carried.group_sequence == ValueOf<std::uint32_t>(encoded);
    default:
      return field == AmqpField::kAbsoluteExpiryTime;
  }
}

}  // namespace

std::optional<std::string> Message::*TextFieldOf(AmqpField field) {
  switch (field) {
    case AmqpField::kMessageId:
      return &Message::message_id;
    case AmqpField::kTo:
      return &Message::to;
    case AmqpField::kSubject:
      return &Message::subject;
    case AmqpField::kReplyTo:
      return &Message::reply_to;
    case AmqpField::kCorrelationId:
      return &Message::correlation_id;
    case AmqpField::kContentType:
      return &Message::content_type;
    case AmqpField::kGroupId:
      return &Message::session_id;
    case AmqpField::kReplyToGroupId:
      return &Message::reply_to_session_id;
    default:
      return nullptr;
  }
}

bool IsAsEncoded(const Message& message, AmqpField field, std::string_view encoded) {
  if (const auto text = TextFieldOf(field)) {
    return message.*text && message.*text == TextOf(field, encoded);
  }
  static const CarriedProperties kNone;
  return IsCarriedAsEncoded(message.carried ? *message.carried : kNone, field, encoded);
}

AmqpForm FormToKeep(const Message& message) {
  if (!message.amqp_form) return {};
  AmqpForm kept = *message.amqp_form;
  std::erase_if(kept.fields, [&](const auto& field) {
    return !IsAsEncoded(message, field.first, field.second);
  });
  return kept;
}

}  // namespace wharf
