#include "broker/doors/amqp/entities/amqp_message.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/mapping/property_bytes.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kMessageLimits{};

PropertyValue PropertyFrom(const Value& value) {
  std::string encoded;
  Writer(encoded).Write(value);
  return PropertyOf(encoded);
}

// Null for what a damaged row may have.
Value ValueFrom(const PropertyValue& property) {
  std::string encoded;
  Writer writer(encoded);
  WriteProperty(writer, property);
  Reader reader(encoded, kMessageLimits);
  Value value;
  reader.Read(value);
  return reader.ok() ? value : Value();
}

// Azure's SDK for JavaScript settles no message without an id, and other doors let one in.
Outgoing OutgoingOf(const wharf::Delivered& delivered, const StoredMessage& stored,
                    bool is_partitioned) {
  Outgoing outgoing{.stored = stored,
                    .delivery_count = delivered.delivery.count,
                    .changed = delivered.delivery.changed_properties.get(),
                    .needs_id = true,
                    .is_partitioned = is_partitioned};
  if (delivered.until != kNever) outgoing.locked_until = delivered.until;
  return outgoing;
}

// As it is told where it was asked for by its number, or peeked at.
Outgoing StatedOf(Outgoing outgoing, const wharf::Delivered& delivered,
                  std::optional<std::int32_t> state) {
  outgoing.state = state;
  if (!delivered.token.is_zero()) outgoing.lock_token = UuidOf(delivered.token);
  return outgoing;
}

// As if it had no body: the large one is not at hand.
StoredMessage WithoutBody(const StoredMessage& stored) {
  StoredMessage without = stored;
  without.facts.body_ref.reset();
  return without;
}

}  // namespace

Uuid UuidOf(const LockToken& token) {
  Uuid uuid;
  const std::string bytes = token.ToBytes();
  std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
  return uuid;
}

Result<Message> MessageOf(std::string_view encoded) {
  const Result<Sections> sections = SplitSections(encoded, kMessageLimits);
  if (!sections.ok()) return sections.status();
  return MessageOf(*sections, kMessageLimits);
}

std::string EncodedOf(const wharf::Delivered& delivered, std::optional<std::int32_t> state,
                      bool is_partitioned) {
  const StoredMessage& stored = *delivered.message;
  std::optional<StoredMessage> without;
  if (stored.facts.has_large_body()) without = WithoutBody(stored);
  return EncodeWhole(StatedOf(OutgoingOf(delivered, without ? *without : stored, is_partitioned),
                              delivered, state));
}

EncodedMessage EncodedAround(const wharf::Delivered& delivered, bool is_partitioned) {
  return EncodeMessage(OutgoingOf(delivered, *delivered.message, is_partitioned));
}

EncodedMessage EncodedAround(const wharf::Delivered& delivered, std::int32_t state,
                             bool is_partitioned) {
  return EncodeMessage(
      StatedOf(OutgoingOf(delivered, *delivered.message, is_partitioned), delivered, state));
}

Result<PropertyMap> PropertiesFrom(const Map& map) {
  PropertyMap properties;
  for (const MapEntry& entry : map.entries) {
    const auto* const text = entry.key.As<std::string>();
    const auto* const symbol = entry.key.As<Symbol>();
    if (text == nullptr && symbol == nullptr) {
      return Status(ErrorCode::kArgumentError, "a property has a name that is no text");
    }
    properties.emplace_back(text != nullptr ? *text : symbol->text, PropertyFrom(entry.value));
  }
  return properties;
}

Map MapFrom(const PropertyMap& properties) {
  Map map;
  for (const auto& [name, value] : properties) {
    map.Add(Value(std::string(name)), ValueFrom(value));
  }
  return map;
}

}  // namespace wharf::amqp
