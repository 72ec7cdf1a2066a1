#include "tools/wharf/definitions/property_changes.h"

#include <algorithm>
#include <span>

#include "tools/wharf/entities/queue_property_list.h"
#include "tools/wharf/entities/topic_property_list.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::span<const PropertyHelp> PropertiesOf(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::kQueue:
      return AllQueueProperties();
    case DefinitionKind::kTopic:
      return AllTopicProperties();
    case DefinitionKind::kSubscription:
      return AllSubscriptionProperties();
    default:
      return {};
  }
}

bool IsFixed(DefinitionKind kind, const std::string& field) {
  const auto properties = PropertiesOf(kind);
  return std::any_of(properties.begin(), properties.end(), [&](const PropertyHelp& property) {
    return property.field == field && property.is_fixed;
  });
}

bool IsName(const FieldDescriptor& field) {
  return field.name() == "name" || field.name() == "topic" || field.name() == "etag";
}

bool IsThere(const Message& message, const FieldDescriptor& field) {
  return !field.has_presence() || message.GetReflection()->HasField(message, &field);
}

std::string TextOrNone(const Message& message, const FieldDescriptor& field) {
  if (IsThere(message, field)) {
    const std::string text = FieldToText(message, field);
    return text.empty() ? "\"\"" : text;
  }
  const bool is_duration = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                           field.message_type() == google::protobuf::Duration::descriptor();
  return is_duration ? "never" : "none";
}

Json JsonOrNull(const Message& message, const FieldDescriptor& field) {
  return IsThere(message, field) ? FieldToJson(message, field) : Json(nullptr);
}

}  // namespace

std::vector<PropertyChange> ChangesBetween(DefinitionKind kind, const Message& from,
                                           const Message& to) {
  std::vector<PropertyChange> changes;
  for (int i = 0; i < from.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *from.GetDescriptor()->field(i);
    if (IsName(field)) continue;
    PropertyChange change = {.name = field.name(),
                             .from_text = TextOrNone(from, field),
                             .to_text = TextOrNone(to, field),
                             .from = JsonOrNull(from, field),
                             .to = JsonOrNull(to, field),
                             .is_fixed = IsFixed(kind, field.name())};
    if (change.from != change.to) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace wharf::tool
