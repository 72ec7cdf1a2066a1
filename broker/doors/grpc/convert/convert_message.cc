// Messages, as they are sent, received and peeked.

#include <utility>

#include <fmt/core.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_amqp_form.h"
#include "broker/doors/grpc/convert/convert_properties.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

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

// What a received and a peeked message have in common.
void StoredToProto(const StoredMessage& stored, const Delivery& delivery,
                   v1::ReceivedMessage* proto) {
  ToProto(stored.message, proto->mutable_message());
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
  if (proto.has_amqp_form()) {
    Result<AmqpForm> form = FromProto(proto.amqp_form());
    if (!form.ok()) return form.status();
    message.amqp_form = std::make_shared<const AmqpForm>(*std::move(form));
  }
  return message;
}

Result<std::vector<Message>> FromProto(google::protobuf::RepeatedPtrField<v1::Message>& protos) {
  std::vector<Message> messages;
  messages.reserve(static_cast<std::size_t>(protos.size()));
  for (v1::Message& proto : protos) {
    Result<Message> message = FromProto(proto);
    if (!message.ok() && protos.size() == 1) return message.status();
    if (!message.ok()) {
      return Status(message.status().code(),
                    fmt::format("message {}: {}", messages.size() + 1, message.status().message()));
    }
    messages.push_back(*std::move(message));
  }
  return messages;
}

void ToProto(const Message& message, v1::Message* proto) {
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
  if (message.amqp_form) ToProto(*message.amqp_form, proto->mutable_amqp_form());
}

void ToProto(const Delivered& delivered, v1::ReceivedMessage* proto) {
  StoredToProto(*delivered.message, delivered.delivery, proto);
  if (delivered.was_deferred) proto->set_state(v1::MESSAGE_STATE_DEFERRED);
  if (delivered.token.is_zero()) return;
  proto->set_lock_token(delivered.token.ToBytes());
  ToProto(delivered.until, proto->mutable_locked_until());
}

void ToProto(const PeekedMessage& peeked, v1::ReceivedMessage* proto) {
  StoredToProto(*peeked.message, peeked.delivery, proto);
  if (peeked.is_scheduled) proto->set_state(v1::MESSAGE_STATE_SCHEDULED);
  if (peeked.standing == Standing::kDeferred) proto->set_state(v1::MESSAGE_STATE_DEFERRED);
  if (peeked.standing == Standing::kQuarantined) proto->set_state(v1::MESSAGE_STATE_QUARANTINED);
  if (!peeked.unreadable.empty()) proto->set_unreadable_reason(peeked.unreadable);
  // Unknown, with all that it holds.
  if (peeked.message->enqueued_at == Timestamp()) proto->clear_enqueued_time();
  if (peeked.available_at != kNever) ToProto(peeked.available_at, proto->mutable_available_at());
}

}  // namespace wharf
