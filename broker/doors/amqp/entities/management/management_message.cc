#include "broker/doors/amqp/entities/management/management_message.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kLimits{};
// A batch of 4500 messages to schedule, with what clients say of each, has some ten of a message.
constexpr DecodeLimits kBodyLimits{.values_max = 65536};
// Answers repeat the message id, and wait for who takes none.
constexpr std::size_t kPropertiesBytesMax = 4096;
constexpr std::string_view kTrackingId = "com.microsoft:tracking-id";
constexpr std::string_view kLinkName = "associated-link-name";

template <typename T>
const T* Find(const Map& map, std::string_view key) {
  const Value* const found = map.FindString(key);
  return found == nullptr ? nullptr : found->As<T>();
}

// Empty if the body is anything else.
Result<Map> MapOfBody(const Sections& sections) {
  if (sections.body_kind != BodyKind::kValue) return Map();
  Reader reader(sections.body, kBodyLimits);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  Map map;
  if (reader.PeekType() == Type::kMap) reader.Read(map);
  if (reader.ok()) return map;
  return Status(ErrorCode::kArgumentError, "the body of the request: " + reader.error());
}

// --- a message whose body is not here

void PutNumber(std::string& out, std::uint64_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

// A list or a map with so many values, whose bytes come next.
void PutCompound(std::string& out, std::uint8_t format_code, std::uint64_t bytes,
                 std::uint32_t count) {
  out += static_cast<char>(format_code);
  PutNumber(out, bytes + sizeof(count));
  PutNumber(out, count);
}

// {messages: [{lock-token: uuid, message: binary}]}: what is not here is the end of all of them.
std::string BodyAround(const LargeReplyMessage& large) {
  constexpr std::uint64_t kCompoundHeadBytes = 9;
  std::string entry;
  Writer writer(entry);
  if (large.lock_token.has_value()) {
    writer.WriteString("lock-token");
    writer.Write(*large.lock_token);
  }
  writer.WriteString("message");
  entry += static_cast<char>(code::kBinary32);
  PutNumber(entry, large.bytes);
  const std::uint64_t entry_bytes = entry.size() + large.bytes;
  const std::string key = Encoded(std::string("messages"));
  const std::uint64_t list_bytes = kCompoundHeadBytes + entry_bytes;
  std::string body;
  PutCompound(body, code::kMap32, key.size() + kCompoundHeadBytes + list_bytes, 2);
  body += key;
  PutCompound(body, code::kList32, list_bytes, 1);
  PutCompound(body, code::kMap32, entry_bytes, large.lock_token.has_value() ? 4 : 2);
  return body + entry + large.head;
}

}  // namespace

Result<ManagementRequest> ReadManagementRequest(std::string_view message) {
  const Result<Sections> sections = SplitSections(message, kLimits);
  if (!sections.ok()) return sections.status();
  if (sections->properties.size() + sections->application_properties.size() > kPropertiesBytesMax) {
    return Status(ErrorCode::kArgumentError,
                  "the properties of a request to $management are longer than 4096 bytes");
  }
  Result<Properties> properties = PropertiesOf(sections->properties, kLimits);
  if (!properties.ok()) return properties.status();
  const Result<Map> said = MapOf(sections->application_properties, kLimits);
  if (!said.ok()) return said.status();
  Result<Map> body = MapOfBody(*sections);
  ManagementRequest request{.message_id = std::move(properties->message_id),
                            .reply_to = std::move(properties->reply_to),
                            .wrong = body.status(),
                            .bytes = message.size()};
  if (body.ok()) request.body = *std::move(body);
  if (const auto* const text = Find<std::string>(*said, "operation")) request.operation = *text;
  if (const auto* const text = Find<std::string>(*said, kTrackingId)) request.tracking_id = *text;
  if (const auto* const text = Find<std::string>(*said, kLinkName)) request.link_name = *text;
  if (const auto* const ms = Find<std::uint32_t>(*said, "com.microsoft:server-timeout")) {
    request.patience = std::chrono::milliseconds(*ms);
  }
  return request;
}

ManagementReply ReplyFor(const Error& error, ErrorCode code) {
  return {.status_number = StatusNumberOf(code),
          .description = error.description.value_or(""),
          .condition = error.condition.text};
}

std::string WriteManagementReply(const ManagementRequest& request, const ManagementReply& reply) {
  std::string message;
  Writer writer(message);
  Properties properties;
  properties.correlation_id = request.message_id;
  Write(writer, properties);
  Map said;
  const auto say = [&said](std::string_view key, Value value) {
    said.Add(Value(std::string(key)), std::move(value));
  };
  say("statusCode", Value(static_cast<std::int32_t>(reply.status_number)));
  say("statusDescription", Value(std::string(reply.description)));
  if (!reply.condition.empty()) say("errorCondition", Value(Symbol{reply.condition}));
  if (request.tracking_id.has_value()) say(kTrackingId, Value(std::string(*request.tracking_id)));
  writer.BeginDescribed(descriptor::kApplicationProperties);
  writer.Write(said);
  writer.BeginDescribed(descriptor::kAmqpValue);
  if (reply.large.has_value()) {
    writer.WriteEncoded(BodyAround(*reply.large));
  } else if (reply.body.has_value()) {
    writer.Write(*reply.body);
  } else {
    writer.WriteNull();
  }
  return message;
}

}  // namespace wharf::amqp
