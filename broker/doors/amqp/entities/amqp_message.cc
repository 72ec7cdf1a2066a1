#include "broker/doors/amqp/entities/amqp_message.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kMessageLimits{};
constexpr std::string_view kTimeSpan = "com.microsoft:timespan";
constexpr std::string_view kUri = "com.microsoft:uri";
constexpr std::string_view kDateTimeOffset = "com.microsoft:datetime-offset";
constexpr std::int64_t kTicksASecond = 10'000'000;
constexpr std::int64_t kTicksOf1970 = 621'355'968'000'000'000;

Status NotKept(std::string_view what) {
  return {ErrorCode::kNotImplemented, fmt::format("{} cannot be kept here", what)};
}

Timestamp TimeOf(TimestampMs time) { return Timestamp(std::chrono::milliseconds(time.ms)); }
TimestampMs MsOf(Timestamp time) {
  return {std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count()};
}

Nanotime NanotimeOf(std::int64_t ticks) {
  const auto rest = static_cast<std::int32_t>(ticks % kTicksASecond);
  Nanotime time{ticks / kTicksASecond, rest * 100};
  if (rest < 0) time = {time.seconds - 1, time.nanos + 1'000'000'000};
  return time;
}
std::int64_t TicksOf(const Nanotime& time) {
  return time.seconds * kTicksASecond + time.nanos / 100;
}

// --- properties of applications

std::optional<PropertyValue> DescribedProperty(const Described& described) {
  const auto* const kind = described.descriptor.As<Symbol>();
  if (kind == nullptr) return std::nullopt;
  const auto* const ticks = described.value.As<std::int64_t>();
  const auto* const text = described.value.As<std::string>();
  if (kind->text == kTimeSpan && ticks != nullptr) return TimeSpan{NanotimeOf(*ticks)};
  if (kind->text == kDateTimeOffset && ticks != nullptr && *ticks >= 0) {
    return DateTimeOffset{NanotimeOf(*ticks - kTicksOf1970)};
  }
  if (kind->text == kUri && text != nullptr) return wharf::Uri{*text};
  return std::nullopt;
}

struct ToProperty {
  using Property = std::optional<PropertyValue>;
  Property operator()(Null) const { return PropertyValue(); }
  Property operator()(Char value) const { return PropertyValue(value.value); }
  Property operator()(TimestampMs value) const {
    return PropertyValue(Instant{NanotimeOf(value.ms * (kTicksASecond / 1000))});
  }
  Property operator()(const amqp::Uuid& value) const {
    return PropertyValue(wharf::Uuid{value.bytes});
  }
  Property operator()(const Boxed<Described>& value) const { return DescribedProperty(*value); }
  template <typename T>
  Property operator()(const T& value) const {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return PropertyValue(value);
    }
    return std::nullopt;
  }
};

Value DescribedOf(std::string_view kind, Value value) {
  return Value(Described{Value(Symbol{std::string(kind)}), std::move(value)});
}

struct ToValue {
  Value operator()(std::monostate) const { return {}; }
  Value operator()(char32_t value) const { return Value(Char{value}); }
  Value operator()(const wharf::Decimal& value) const { return Value(value.text); }
  Value operator()(const wharf::Uuid& value) const { return Value(amqp::Uuid{value.bytes}); }
  Value operator()(const Instant& value) const {
    return Value(TimestampMs{TicksOf(value.since_epoch) / (kTicksASecond / 1000)});
  }
  Value operator()(const TimeSpan& value) const {
    return DescribedOf(kTimeSpan, Value(TicksOf(value.length)));
  }
  Value operator()(const wharf::Uri& value) const { return DescribedOf(kUri, Value(value.text)); }
  Value operator()(const DateTimeOffset& value) const {
    return DescribedOf(kDateTimeOffset, Value(TicksOf(value.since_epoch) + kTicksOf1970));
  }
  template <typename T>
  Value operator()(const T& value) const {
    return Value(value);
  }
};

// --- in

std::optional<std::string> TextOfSymbol(const std::optional<Symbol>& symbol) {
  return symbol.has_value() ? std::optional(symbol->text) : std::nullopt;
}

Result<std::optional<std::string>> TextOfId(const std::optional<MessageId>& id,
                                            std::string_view what) {
  if (!id.has_value()) return std::optional<std::string>();
  const auto* const text = std::get_if<std::string>(&*id);
  if (text == nullptr) return NotKept(fmt::format("a {} that is no string", what));
  return std::optional(*text);
}

Status TakeProperties(const Properties& properties, Message& message, CarriedProperties& carried) {
  Result<std::optional<std::string>> id = TextOfId(properties.message_id, "message-id");
  if (!id.ok()) return id.status();
  Result<std::optional<std::string>> correlation =
      TextOfId(properties.correlation_id, "correlation-id");
  if (!correlation.ok()) return correlation.status();
  message.message_id = *std::move(id);
  message.correlation_id = *std::move(correlation);
  message.content_type = TextOfSymbol(properties.content_type);
  message.subject = properties.subject;
  message.to = properties.to;
  message.reply_to = properties.reply_to;
  message.session_id = properties.group_id;
  message.reply_to_session_id = properties.reply_to_group_id;
  carried.content_encoding = TextOfSymbol(properties.content_encoding);
  if (properties.user_id.has_value()) carried.user_id = properties.user_id->bytes;
  if (properties.creation_time.has_value()) {
    carried.creation_time = NanotimeOf(properties.creation_time->ms * (kTicksASecond / 1000));
  }
  carried.group_sequence = properties.group_sequence;
  return {};
}

// TTL 0 is what clients write that write defaults out; the largest one means the two times.
std::optional<Duration> TimeToLiveOf(const Header& header, const Properties& properties) {
  if (header.ttl.value_or(0) == 0) return std::nullopt;
  const bool has_times =
      properties.creation_time.has_value() && properties.absolute_expiry_time.has_value();
  if (*header.ttl == std::numeric_limits<std::uint32_t>::max() && has_times) {
    const std::int64_t span = properties.absolute_expiry_time->ms - properties.creation_time->ms;
    if (span > 0) return std::chrono::milliseconds(span);
  }
  return std::chrono::milliseconds(*header.ttl);
}

Status TakeAnnotations(const Map& annotations, Message& message) {
  for (const MapEntry& entry : annotations.entries) {
    const auto* const key = entry.key.As<Symbol>();
    if (key == nullptr) return NotKept("an annotation whose key is no symbol");
    const auto* const text = entry.value.As<std::string>();
    if (key->text == "x-opt-partition-key" && text != nullptr) message.partition_key = *text;
    if (key->text == "x-opt-via-partition-key" && text != nullptr) {
      message.via_partition_key = *text;
    }
    if (const auto* const time = entry.value.As<TimestampMs>();
        key->text == "x-opt-scheduled-enqueue-time" && time != nullptr) {
      message.scheduled_enqueue_time = TimeOf(*time);
    }
    // Those of the broker are its own to say.
    if (!key->text.starts_with("x-opt-")) {
      return NotKept(fmt::format("the annotation {}", key->text.substr(0, 100)));
    }
  }
  return {};
}

Status TakeBody(const Sections& sections, Message& message) {
  if (sections.body_kind == amqp::BodyKind::kData && sections.body_sections == 1) {
    const auto data = DataOf(sections.body, 1);
    if (!data.ok()) return data.status();
    message.body = data->front();
    return {};
  }
  message.body = sections.body;
  message.body_kind = wharf::BodyKind::kDataSections;
  if (sections.body_kind == amqp::BodyKind::kValue) message.body_kind = wharf::BodyKind::kValue;
  if (sections.body_kind == amqp::BodyKind::kSequence) {
    message.body_kind = wharf::BodyKind::kSequence;
  }
  return {};
}

// --- out

void WriteMap(Writer& writer, std::uint64_t descriptor, const Map& map) {
  writer.BeginDescribed(descriptor);
  writer.Write(map);
}

Header HeaderOut(const wharf::Delivered& delivered) {
  const StoredMessage& stored = *delivered.message;
  Header header;
  header.delivery_count = delivered.delivery.count;
  if (stored.facts.expires_at != kNever) {
    const auto left =
        std::chrono::floor<std::chrono::milliseconds>(stored.facts.expires_at - stored.enqueued_at);
    header.ttl = static_cast<std::uint32_t>(std::min<std::int64_t>(
        std::max<std::int64_t>(left.count(), 0), std::numeric_limits<std::uint32_t>::max()));
  }
  if (const auto& carried = stored.message.carried) {
    header.durable = carried->durable;
    header.first_acquirer = carried->first_acquirer;
    if (carried->priority.has_value()) {
      header.priority = static_cast<std::uint8_t>(std::min<std::uint32_t>(*carried->priority, 255));
    }
  }
  return header;
}

Map AnnotationsOut(const wharf::Delivered& delivered) {
  const StoredMessage& stored = *delivered.message;
  Map map;
  const auto add = [&map](std::string_view key, Value value) {
    map.Add(Value(Symbol{std::string(key)}), std::move(value));
  };
  add("x-opt-sequence-number", Value(static_cast<std::int64_t>(stored.number.value())));
  add("x-opt-enqueued-time", Value(MsOf(stored.enqueued_at)));
  if (delivered.until != kNever) add("x-opt-locked-until", Value(MsOf(delivered.until)));
  if (stored.enqueued_number != SequenceNumber()) {
    add("x-opt-enqueue-sequence-number",
        Value(static_cast<std::int64_t>(stored.enqueued_number.value())));
  }
  if (!stored.dead_letter_source.empty()) {
    add("x-opt-deadletter-source", Value(std::string(stored.dead_letter_source)));
  }
  const Message& message = stored.message;
  if (message.partition_key) add("x-opt-partition-key", Value(std::string(*message.partition_key)));
  if (message.via_partition_key) {
    add("x-opt-via-partition-key", Value(std::string(*message.via_partition_key)));
  }
  if (message.scheduled_enqueue_time) {
    add("x-opt-scheduled-enqueue-time", Value(MsOf(*message.scheduled_enqueue_time)));
  }
  return map;
}

Properties PropertiesOut(const StoredMessage& stored) {
  const Message& message = stored.message;
  Properties properties;
  const auto symbol = [](const std::optional<std::string>& text) {
    return text ? std::optional(Symbol{*text}) : std::nullopt;
  };
  if (message.message_id) properties.message_id = *message.message_id;
  if (message.correlation_id) properties.correlation_id = *message.correlation_id;
  properties.content_type = symbol(message.content_type);
  properties.subject = message.subject;
  properties.to = message.to;
  properties.reply_to = message.reply_to;
  properties.group_id = message.session_id;
  properties.reply_to_group_id = message.reply_to_session_id;
  if (stored.facts.expires_at != kNever) {
    properties.absolute_expiry_time = MsOf(stored.facts.expires_at);
  }
  if (const auto& carried = message.carried) {
    properties.content_encoding = symbol(carried->content_encoding);
    if (carried->user_id) properties.user_id = Binary{*carried->user_id};
    if (carried->creation_time) {
      properties.creation_time =
          TimestampMs{TicksOf(*carried->creation_time) / (kTicksASecond / 1000)};
    }
    properties.group_sequence = carried->group_sequence;
  }
  return properties;
}

}  // namespace

Result<PropertyMap> PropertiesFrom(const Map& map) {
  PropertyMap properties;
  for (const MapEntry& entry : map.entries) {
    const auto* const text = entry.key.As<std::string>();
    const auto* const symbol = entry.key.As<Symbol>();
    if (text == nullptr && symbol == nullptr) return NotKept("a property whose name is no text");
    const std::string& name = text != nullptr ? *text : symbol->text;
    std::optional<PropertyValue> value = std::visit(ToProperty(), entry.value.content());
    if (!value.has_value()) {
      return NotKept(fmt::format("the type of the property {}", name.substr(0, 100)));
    }
    properties.emplace_back(name, *std::move(value));
  }
  return properties;
}

Map MapFrom(const PropertyMap& properties) {
  Map map;
  for (const auto& [name, value] : properties) {
    map.Add(Value(std::string(name)), std::visit(ToValue(), value));
  }
  return map;
}

Result<Message> MessageOf(std::string_view encoded) {
  const Result<Sections> sections = SplitSections(encoded, kMessageLimits);
  if (!sections.ok()) return sections.status();
  const Result<Header> header = amqp::HeaderOf(sections->header, kMessageLimits);
  if (!header.ok()) return header.status();
  const Result<Map> annotations = amqp::MapOf(sections->message_annotations, kMessageLimits);
  if (!annotations.ok()) return annotations.status();
  const Result<Properties> properties = PropertiesOf(sections->properties, kMessageLimits);
  if (!properties.ok()) return properties.status();
  const Result<Map> said = amqp::MapOf(sections->application_properties, kMessageLimits);
  if (!said.ok()) return said.status();
  if (!sections->footer.empty()) return NotKept("a footer");
  Message message;
  auto carried = std::make_shared<CarriedProperties>();
  WHARF_RETURN_IF_ERROR(TakeProperties(*properties, message, *carried));
  WHARF_RETURN_IF_ERROR(TakeAnnotations(*annotations, message));
  WHARF_RETURN_IF_ERROR(TakeBody(*sections, message));
  message.time_to_live = TimeToLiveOf(*header, *properties);
  if (!sections->header.empty()) {
    carried->durable = header->durable;
    carried->priority = header->priority;
    carried->first_acquirer = header->first_acquirer;
  }
  Result<PropertyMap> application = PropertiesFrom(*said);
  if (!application.ok()) return application.status();
  message.application_properties = *std::move(application);
  message.carried = std::move(carried);
  return message;
}

std::string EncodedOf(const wharf::Delivered& delivered) {
  const Message& message = delivered.message->message;
  std::string encoded;
  Writer writer(encoded);
  Write(writer, HeaderOut(delivered));
  WriteMap(writer, descriptor::kMessageAnnotations, AnnotationsOut(delivered));
  Write(writer, PropertiesOut(*delivered.message));
  PropertyMap application = message.application_properties;
  if (delivered.delivery.changed_properties) {
    Merge(application, *delivered.delivery.changed_properties);
  }
  if (!application.empty()) {
    WriteMap(writer, descriptor::kApplicationProperties, MapFrom(application));
  }
  if (message.body_kind != wharf::BodyKind::kData) {
    writer.WriteEncoded(message.body);
    return encoded;
  }
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(message.body);
  return encoded;
}

}  // namespace wharf::amqp
