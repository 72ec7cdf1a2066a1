#include "tools/wharf/messages/message_json.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "absl/strings/escaping.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/json_text.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/property_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using Properties = google::protobuf::Map<std::string, v1::PropertyValue>;

constexpr std::string_view kBase64Suffix = "_base64";
// To be given back, and not to be read: the bytes of the API's message.
constexpr std::string_view kAmqpForm = "amqp_form_base64";

Status Within(std::string_view name, const Status& status) {
  return {status.code(), fmt::format("{}: {}", name, status.message())};
}

Status SetProperties(std::string_view field, const Json& json, Properties& properties) {
  if (!json.is_object()) {
    return {ErrorCode::kArgumentError, fmt::format("{}: the value must be an object", field)};
  }
  for (const auto& [name, value] : json.items()) {
    Result<v1::PropertyValue> property = PropertyFromJson(value);
    if (!property.ok()) return Within(fmt::format("{}.{}", field, name), property.status());
    properties[name] = *std::move(property);
  }
  return Status::Ok();
}

const Properties& PropertiesOf(const v1::Message& message, const FieldDescriptor& field) {
  switch (field.number()) {
    case v1::Message::kAnnotationsFieldNumber:
      return message.annotations();
    case v1::Message::kFooterFieldNumber:
      return message.footer();
    default:
      return message.application_properties();
  }
}

Properties& MutablePropertiesOf(v1::Message& message, const FieldDescriptor& field) {
  switch (field.number()) {
    case v1::Message::kAnnotationsFieldNumber:
      return *message.mutable_annotations();
    case v1::Message::kFooterFieldNumber:
      return *message.mutable_footer();
    default:
      return *message.mutable_application_properties();
  }
}

// As text it would be far longer than in base64: no text of anybody's, and a line of it might be
// longer than any reader takes.
bool IsTooLongInJson(std::string_view body) {
  constexpr std::size_t kTimesMax = 2;
  return SizeInJson(body) > kTimesMax * body.size();
}

void AddBody(const v1::Message& message, Json& json) {
  if (IsUtf8(message.body()) && !IsTooLongInJson(message.body())) {
    json["body"] = message.body();
  } else {
    json["body_base64"] = absl::Base64Escape(message.body());
  }
}

void AddMessage(const v1::Message& message, bool has_body, Json& json) {
  const auto* descriptor = v1::Message::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (field.is_map()) {
      const Properties& properties = PropertiesOf(message, field);
      if (!properties.empty()) json[field.name()] = PropertiesToJson(properties);
    } else if (field.number() == v1::Message::kBodyFieldNumber) {
      if (has_body) AddBody(message, json);
    } else if (field.number() == v1::Message::kBodyKindFieldNumber) {
      if (message.body_kind() != v1::BODY_KIND_DATA)
        json[field.name()] = FieldToJson(message, field);
    } else if (field.number() == v1::Message::kAmqpFormFieldNumber) {
      if (message.has_amqp_form()) {
        json[std::string(kAmqpForm)] = absl::Base64Escape(message.amqp_form().SerializeAsString());
      }
    } else if (IsSaid(message, field)) {
      const bool is_bytes = field.type() == FieldDescriptor::TYPE_BYTES;
      json[field.name() + std::string(is_bytes ? kBase64Suffix : "")] = FieldToJson(message, field);
    }
  }
}

// The field that a name of JSON stands for: bytes have the suffix, or, the body, may be text.
const FieldDescriptor* FindField(std::string_view name) {
  const auto* descriptor = v1::Message::descriptor();
  if (name.ends_with(kBase64Suffix)) {
    name.remove_suffix(kBase64Suffix.size());
    const FieldDescriptor* field = descriptor->FindFieldByName(std::string(name));
    return field != nullptr && field->type() == FieldDescriptor::TYPE_BYTES ? field : nullptr;
  }
  const FieldDescriptor* field = descriptor->FindFieldByName(std::string(name));
  const bool is_other_bytes = field != nullptr && field->type() == FieldDescriptor::TYPE_BYTES &&
                              field->number() != v1::Message::kBodyFieldNumber;
  return is_other_bytes ? nullptr : field;
}

bool IsOfBroker(const std::string& name) {
  return name == kEntityPathKey ||
         (name != "message" && v1::ReceivedMessage::descriptor()->FindFieldByName(name) != nullptr);
}

Status SetBody(const Json& value, v1::Message& message) {
  if (!value.is_string()) {
    return {ErrorCode::kArgumentError, "body: the value must be a string"};
  }
  message.set_body(value.get_ref<const std::string&>());
  return Status::Ok();
}

Status SetAmqpForm(const Json& value, v1::Message& message) {
  std::string bytes;
  const bool is_one = value.is_string() &&
                      absl::Base64Unescape(value.get_ref<const std::string&>(), &bytes) &&
                      message.mutable_amqp_form()->ParseFromString(bytes);
  if (is_one) return Status::Ok();
  return {ErrorCode::kArgumentError,
          fmt::format("{}: the value must be what another message shows", kAmqpForm)};
}

Status SetField(const std::string& name, const Json& value, v1::Message& message) {
  if (name == "body") return SetBody(value, message);
  if (name == kAmqpForm) return SetAmqpForm(value, message);
  const FieldDescriptor* field = FindField(name);
  if (field == nullptr) {
    if (IsOfBroker(name)) return Status::Ok();
    return {ErrorCode::kArgumentError, fmt::format("a message has no property \"{}\"", name)};
  }
  if (field->is_map()) return SetProperties(name, value, MutablePropertiesOf(message, *field));
  const Status status = SetFieldFromJson(message, *field, value);
  return status.ok() ? status : Within(name, status);
}

Status NotJson(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto is_character = [](unsigned char at) { return (at & 0xC0U) != 0x80U; };
  const auto column = 1 + std::count_if(before.begin(), before.end(), is_character);
  const std::string_view rest = text.substr(before.size());
  const std::string reason =
      rest.empty() ? "the text ends too soon"
                   : fmt::format("\"{}\" is not expected there", Printable(rest.substr(0, 1)));
  return {ErrorCode::kArgumentError,
          fmt::format("the JSON is wrong at column {}: {}", column, reason)};
}

}  // namespace

Json PropertiesToJson(const Properties& properties) {
  Json json = Json::object();
  // At the end: to be asked for a key it looks at all that it has.
  auto& object = json.get_ref<Json::object_t&>();
  for (const auto& [name, value] : std::map(properties.begin(), properties.end())) {
    object.emplace_back(name, PropertyToJson(value));
  }
  return json;
}

Json PropertiesToJson(const v1::Message& message) {
  Json json = Json::object();
  AddMessage(message, /*has_body=*/false, json);
  return json;
}

Json ToJson(const v1::ReceivedMessage& received) {
  Json json = Json::object();
  const auto* descriptor = v1::ReceivedMessage::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (field.number() == v1::ReceivedMessage::kMessageFieldNumber) continue;
    if (field.number() == v1::ReceivedMessage::kLockTokenFieldNumber) {
      if (!received.lock_token().empty()) {
        json[field.name()] = FormatLockToken(received.lock_token());
      }
    } else if (IsSaid(received, field)) {
      json[field.name()] = FieldToJson(received, field);
    }
  }
  AddMessage(received.message(), /*has_body=*/true, json);
  return json;
}

Result<Json> MessageJsonOf(std::string_view text) {
  JsonFault fault;
  std::optional<Json> json = ReadJson(text, kAnyKeys, fault);
  if (json) return *std::move(json);
  return fault.byte ? NotJson(text, *fault.byte) : fault.place.Bad(fault.why);
}

Result<v1::Message> MessageFromJson(const Json& json, const v1::Message& base) {
  if (!json.is_object()) {
    return Status(ErrorCode::kArgumentError, R"(a message is an object, {"body": "..."})");
  }
  if (json.contains("body") && json.contains("body_base64")) {
    return Status(ErrorCode::kArgumentError, "body and body_base64 exclude each other");
  }
  v1::Message message = base;
  for (const auto& [name, value] : json.items()) {
    WHARF_RETURN_IF_ERROR(SetField(name, value, message));
  }
  return message;
}

Result<v1::Message> MessageFromJsonText(std::string_view text, const v1::Message& base) {
  const Result<Json> json = MessageJsonOf(text);
  if (!json.ok()) return json.status();
  return MessageFromJson(*json, base);
}

}  // namespace wharf::tool
