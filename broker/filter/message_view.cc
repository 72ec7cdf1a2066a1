#include "broker/filter/message_view.h"

#include <string_view>
#include <utility>

namespace wharf {
namespace {

sql::Value TextOrNull(const std::optional<std::string>& text) {
  if (!text) return sql::Unknown();
  return std::string_view(*text);
}

sql::Value TextOrNull(std::string_view text) {
  if (text.empty()) return sql::Unknown();
  return text;
}

sql::Value InstantOrNull(const std::optional<Timestamp>& time) {
  if (!time) return sql::Unknown();
  return sql::InstantOf(*time);
}

sql::Value SpanOrNull(const std::optional<Duration>& span) {
  if (!span) return sql::Unknown();
  return sql::TimeSpanOf(*span);
}

sql::Value NumberOrNull(const std::optional<SequenceNumber>& number) {
  if (!number) return sql::Unknown();
  return static_cast<std::int64_t>(number->value());
}

sql::Value StateOrNull(const std::optional<MessageState>& state) {
  if (!state) return sql::Unknown();
  return static_cast<std::int32_t>(*state);
}

// Of AMQP's header and properties, for selectors of JMS (ours): without a header a message says
// that it is not durable, and of the middle priority.
sql::Value DeliveryModeOf(const CarriedProperties* carried) {
  const bool is_persistent = carried != nullptr && carried->durable.value_or(false);
  return std::string_view(is_persistent ? "PERSISTENT" : "NON_PERSISTENT");
}

sql::Value PriorityOf(const CarriedProperties* carried) {
  const auto said = carried == nullptr ? std::nullopt : carried->priority;
  return std::int64_t{said.value_or(kPriorityDefault)};
}

sql::Value CreationMsOf(const CarriedProperties* carried) {
  if (carried == nullptr || !carried->creation_time) return sql::Unknown();
  const Nanotime& time = *carried->creation_time;
  return std::int64_t{time.seconds * 1000 + time.nanos / 1'000'000};
}

}  // namespace

BrokerProperties BrokerPropertiesOf(const StoredMessage& stored) {
  return {.sequence_number = stored.number,
          .enqueued_sequence_number = stored.enqueued_number,
          .enqueued_at = stored.enqueued_at,
          .expires_at = stored.facts.expires_at,
          .dead_letter_source = stored.dead_letter_source,
          .size = stored.facts.size};
}

// The life of a scheduled message begins when it is activated: until then its end is not known.
BrokerProperties BrokerPropertiesOf(const StoredMessage& stored, const Delivery& delivery,
                                    MessageState state) {
  BrokerProperties properties = BrokerPropertiesOf(stored);
  properties.delivery_count = delivery.count;
  properties.state = state;
  if (state == MessageState::kScheduled) properties.expires_at.reset();
  return properties;
}

MessageState StateOf(Standing standing) {
  return standing == Standing::kDeferred ? MessageState::kDeferred : MessageState::kActive;
}

MessageView::MessageView(const Message& message, const BrokerProperties& broker,
                         const PropertyMap* changed)
    : message_(message), broker_(broker), changed_(changed) {
  hashes_.reserve(message.application_properties.size());
  for (const auto& property : message.application_properties) {
    hashes_.push_back(HashOfName(property.first));
  }
}

const PropertyValue* MessageView::Find(const PropertyName& name) const {
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i] != name.hash()) continue;
    const auto& property = message_.application_properties[i];
    if (name.Is(property.first)) return &Latest(property);
  }
  return FindChanged(name);
}

const PropertyValue* MessageView::FindChanged(const PropertyName& name) const {
  if (changed_ == nullptr) return nullptr;
  for (const auto& changed : *changed_) {
    if (name.Is(changed.first)) return &changed.second;
  }
  return nullptr;
}

// As Merge would have it: a change is of the property with exactly its name.
const PropertyValue& MessageView::Latest(
    const std::pair<std::string, PropertyValue>& stored) const {
  if (changed_ == nullptr) return stored.second;
  for (const auto& changed : *changed_) {
    if (changed.first == stored.first) return changed.second;
  }
  return stored.second;
}

sql::Value MessageView::Get(SystemProperty property) const {
  switch (property) {
    case SystemProperty::kContentType:
      return TextOrNull(message_.content_type);
    case SystemProperty::kCorrelationId:
      return TextOrNull(message_.correlation_id);
    case SystemProperty::kCreationTimeMs:
      return CreationMsOf(message_.carried.get());
    case SystemProperty::kDeadLetterSource:
      return TextOrNull(broker_.dead_letter_source);
    case SystemProperty::kDeliveryCount:
      return std::int64_t{broker_.delivery_count};
    case SystemProperty::kDeliveryMode:
      return DeliveryModeOf(message_.carried.get());
    case SystemProperty::kEnqueuedSequenceNumber:
      if (broker_.enqueued_sequence_number == SequenceNumber()) return sql::Unknown();
      return NumberOrNull(broker_.enqueued_sequence_number);
    case SystemProperty::kEnqueuedTimeUtc:
      return InstantOrNull(broker_.enqueued_at);
    case SystemProperty::kExpiresAtUtc:
      return InstantOrNull(broker_.expires_at);
    case SystemProperty::kForcePersistence:  // Everything is persistent; nobody asks (PRP-24).
      return sql::Unknown();
    case SystemProperty::kLabel:
      return TextOrNull(message_.subject);
    case SystemProperty::kMessageId:
      return TextOrNull(message_.message_id);
    case SystemProperty::kPartitionKey:
      return TextOrNull(message_.partition_key);
    case SystemProperty::kPriority:
      return PriorityOf(message_.carried.get());
    case SystemProperty::kReplyTo:
      return TextOrNull(message_.reply_to);
    case SystemProperty::kReplyToSessionId:
      return TextOrNull(message_.reply_to_session_id);
    case SystemProperty::kScheduledEnqueueTimeUtc:
      return InstantOrNull(message_.scheduled_enqueue_time);
    case SystemProperty::kSequenceNumber:
      return NumberOrNull(broker_.sequence_number);
    case SystemProperty::kSessionId:
      return TextOrNull(message_.session_id);
    case SystemProperty::kSize:
      return broker_.size.value_or(SizeOf(message_));
    case SystemProperty::kState:
      return StateOrNull(broker_.state);
    case SystemProperty::kTimeToLive:
      return SpanOrNull(message_.time_to_live);
    case SystemProperty::kTo:
      return TextOrNull(message_.to);
    case SystemProperty::kViaPartitionKey:
      return TextOrNull(message_.via_partition_key);
  }
  return sql::Unknown();
}

}  // namespace wharf
