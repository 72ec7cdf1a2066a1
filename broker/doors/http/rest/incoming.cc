#include "broker/doors/http/rest/incoming.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <fmt/format.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/json_text.h"
#include "broker/doors/http/rest/property_name.h"
#include "broker/doors/http/rest/property_text.h"

namespace wharf::rest {
namespace {

using nlohmann::json;

constexpr char kBatchType[] = "application/vnd.microsoft.servicebus.json";

constexpr std::array<const char*, 2> kSaidOnce = {"BrokerProperties", "Content-Type"};

bool IsSaidOnce(const std::string& name) {
  return std::any_of(kSaidOnce.begin(), kSaidOnce.end(),
                     [&name](const char* each) { return absl::EqualsIgnoreCase(name, each); });
}

// Of two values rules and receivers could take either.
Status Twice(const std::string& name) {
  return {ErrorCode::kArgumentError,
          fmt::format("the header '{}' is there twice", absl::CHexEscape(name.substr(0, 100)))};
}

void GiveId(Message& message) {
  if (!HasId(message)) message.message_id = ToString(NewTrackingId());
}

// --- one message

Result<Incoming> OneOf(ServiceBusRequest& request) {
  Incoming incoming;
  Message& message = incoming.messages.emplace_back();
  if (const std::string* const said = FindField(request.fields, "BrokerProperties")) {
    WHARF_RETURN_IF_ERROR(TakeBrokerPropertiesHeader(*said, message));
  }
  const std::string* const type = FindField(request.fields, "Content-Type");
  if (type != nullptr && !type->empty()) message.content_type = AsUtf8(*type);
  // Properties whose names differ in case are two (USR-4).
  absl::flat_hash_set<std::string> names;
  for (const auto& [name, value] : request.fields) {
    const HeaderKind kind = KindOfHeader(name, value);
    const bool is_property = kind == HeaderKind::kProperty;
    const bool is_once = IsSaidOnce(name);
    if (kind == HeaderKind::kOmitted && !is_once) incoming.omitted.Add(name);
    if (!is_property && !is_once) continue;
    if (!names.insert(is_property ? name : absl::AsciiStrToLower(name)).second) return Twice(name);
    if (is_property) message.application_properties.emplace_back(name, PropertyFrom(value));
  }
  message.body = std::move(request.body);
  incoming.encoded_bytes = static_cast<std::size_t>(SizeOf(message));
  GiveId(message);
  return incoming;
}

// --- several

Result<PropertyValue> PropertyOfJson(const std::string& name, const json& value) {
  if (value.is_null()) return PropertyValue();
  if (value.is_boolean()) return PropertyValue(value.get<bool>());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    return PropertyValue(value.get<std::uint64_t>());
  }
  if (value.is_number_integer()) return PropertyValue(value.get<std::int64_t>());
  if (value.is_number_float()) return PropertyValue(value.get<double>());
  if (value.is_string()) return PropertyValue(value.get<std::string>());
  return BadValue("UserProperties", fmt::format("has a list or an object in '{}'",
                                                absl::CHexEscape(name.substr(0, 100))));
}

Status TakeUserProperties(const json& properties, Message& message) {
  if (!properties.is_object()) return BadValue("UserProperties", "must be a JSON object");
  for (const auto& [name, value] : properties.items()) {
    Result<PropertyValue> property = PropertyOfJson(name, value);
    if (!property.ok()) return property.status();
    message.application_properties.emplace_back(name, *std::move(property));
  }
  return {};
}

Status TakeBody(const json& entry, Message& message) {
  const auto body = entry.find("Body");
  if (body == entry.end() || body->is_null()) return {};
  if (!body->is_string()) return BadValue("Body", "must be a string");
  const auto encoded = entry.find("IsBodyBase64");
  const bool is_encoded = encoded != entry.end() && !encoded->is_null();
  if (is_encoded && !encoded->is_boolean())
    return BadValue("IsBodyBase64", "must be true or false");
  const auto& text = body->get_ref<const std::string&>();
  if (!is_encoded || !encoded->get<bool>()) {
    message.body = text;
    return {};
  }
  if (!absl::Base64Unescape(text, &message.body)) return BadValue("Body", "must be base64");
  return {};
}

Result<Message> MessageOfEntry(const json& entry) {
  if (!entry.is_object()) return BadValue("each message of a batch", "must be a JSON object");
  Message message;
  WHARF_RETURN_IF_ERROR(TakeBody(entry, message));
  const auto broker = entry.find("BrokerProperties");
  if (broker != entry.end() && !broker->is_null()) {
    WHARF_RETURN_IF_ERROR(TakeBrokerProperties(*broker, message));
  }
  const auto user = entry.find("UserProperties");
  if (user != entry.end() && !user->is_null()) {
    WHARF_RETURN_IF_ERROR(TakeUserProperties(*user, message));
  }
  GiveId(message);
  return message;
}

Result<Incoming> BatchOf(const std::string& body) {
  const Result<json> batch = ParseJson("a batch", body);
  if (!batch.ok()) return batch.status();
  if (!batch->is_array()) return BadValue("a batch", "must be a JSON array");
  if (batch->empty() || batch->size() > kItemsMax) {
    return BadValue("a batch", fmt::format("has 1 to {} messages", kItemsMax));
  }
  Incoming incoming{.encoded_bytes = body.size()};
  std::vector<Message>& messages = incoming.messages;
  messages.reserve(batch->size());
  for (const json& entry : *batch) {
    Result<Message> message = MessageOfEntry(entry);
    // The broker asks it again, and does not say of which.
    const Status wrong = message.ok() ? CheckMessage(*message) : Status();
    if (!wrong.ok()) message = wrong;
    if (!message.ok()) {
      return Status(message.status().code(),
                    fmt::format("message {}: {}", messages.size() + 1, message.status().message()));
    }
    messages.push_back(*std::move(message));
  }
  return incoming;
}

}  // namespace

Result<Incoming> IncomingOf(ServiceBusRequest& request) {
  const std::string* const type = FindField(request.fields, "Content-Type");
  const bool is_batch = type != nullptr && absl::EqualsIgnoreCase(*type, kBatchType);
  return is_batch ? BatchOf(request.body) : OneOf(request);
}

}  // namespace wharf::rest
