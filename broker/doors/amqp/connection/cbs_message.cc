#include "broker/doors/amqp/connection/cbs_message.h"

#include <cstddef>
#include <cstdint>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kLimits{.depth_max = 8, .values_max = 256};
// Answers repeat the message id, and wait for who takes none.
constexpr std::size_t kPropertiesBytesMax = 4096;

std::string TextIn(const Map& map, std::string_view key) {
  const Value* const found = map.FindString(key);
  const auto* const text = found == nullptr ? nullptr : found->As<std::string>();
  return text == nullptr ? std::string() : *text;
}

// Empty if it is of another type.
std::string TextOfBody(const Sections& sections) {
  if (sections.body_kind != BodyKind::kValue) return {};
  Reader reader(sections.body, kLimits);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  if (reader.PeekType() != Type::kString) return {};
  return std::string(reader.ReadString());
}

}  // namespace

Result<CbsRequest> ReadCbsRequest(std::string_view message) {
  const Result<Sections> sections = SplitSections(message, kLimits);
  if (!sections.ok()) return sections.status();
  if (sections->properties.size() > kPropertiesBytesMax) {
    return Status(ErrorCode::kInvalidOperation,
                  "the properties of a request to $cbs are longer than 4096 bytes");
  }
  Result<Properties> properties = PropertiesOf(sections->properties, kLimits);
  if (!properties.ok()) return properties.status();
  const Result<Map> said = MapOf(sections->application_properties, kLimits);
  if (!said.ok()) return said.status();
  return CbsRequest{.message_id = std::move(properties->message_id),
                    .reply_to = std::move(properties->reply_to),
                    .operation = TextIn(*said, "operation"),
                    .type = TextIn(*said, "type"),
                    .audience = TextIn(*said, "name"),
                    .token = TextOfBody(*sections)};
}

std::string WriteCbsReply(const std::optional<MessageId>& correlation_id, int status_number,
                          std::string_view description) {
  std::string message;
  Writer writer(message);
  Properties properties;
  properties.correlation_id = correlation_id;
  Write(writer, properties);
  Map said;
  said.Add(Value(std::string("status-code")), Value(static_cast<std::int32_t>(status_number)));
  said.Add(Value(std::string("status-description")), Value(std::string(description)));
  writer.BeginDescribed(descriptor::kApplicationProperties);
  writer.Write(said);
  writer.BeginDescribed(descriptor::kAmqpValue);
  writer.WriteNull();
  return message;
}

}  // namespace wharf::amqp
