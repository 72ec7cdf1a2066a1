#include "tools/wharf/definitions/definitions_reader.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "broker/access/access_rule.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/definitions/normal_form.h"
#include "tools/wharf/definitions/object_keys.h"
#include "tools/wharf/definitions/rule_reader.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/json_place.h"
#include "tools/wharf/text/json_text.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kNameWidthMax = 260;

// What is named within something else, or is the broker's.
bool IsProperty(const FieldDescriptor& field) {
  return field.name() != "topic" && field.name() != "etag";
}

std::vector<std::string> KeysOf(const Message& entity, const std::vector<std::string>& parts) {
  std::vector<std::string> keys;
  for (int i = 0; i < entity.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *entity.GetDescriptor()->field(i);
    if (IsProperty(field)) keys.push_back(field.name());
  }
  keys.insert(keys.end(), parts.begin(), parts.end());
  return keys;
}

// The jitter of a retry policy; no text of ours has it.
Status SetDouble(Message& message, const FieldDescriptor& field, const Json& value) {
  if (!value.is_number()) return {ErrorCode::kArgumentError, "the value must be a number"};
  message.GetReflection()->SetDouble(&message, &field, value.get<double>());
  return {};
}

Status ReadField(Message& message, const FieldDescriptor& field, const Json& value,
                 const JsonPlace& place);

Status ReadFields(Message& message, const Json& json, const JsonPlace& place) {
  for (const auto& [key, value] : json.items()) {
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(key);
    if (field == nullptr) continue;
    WHARF_RETURN_IF_ERROR(ReadField(message, *field, value, place.Key(key)));
  }
  return {};
}

Status ReadField(Message& message, const FieldDescriptor& field, const Json& value,
                 const JsonPlace& place) {
  if (value.is_null()) return place.Bad("null says nothing: leave the key out");
  const bool is_policy = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                         field.message_type() == v1::RetryPolicy::descriptor();
  if (is_policy) {
    Message& policy = *message.GetReflection()->MutableMessage(&message, &field);
    WHARF_RETURN_IF_ERROR(CheckObject(value, place, KeysOf(policy, {})));
    return ReadFields(policy, value, place);
  }
  const Status set = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE
                         ? SetDouble(message, field, value)
                         : SetFieldFromJson(message, field, value);
  return set.ok() ? Status() : place.Bad(set.message());
}

// The names of one list, or of several that share them.
class Names {
 public:
  // `name` is at `place`.
  Status Add(const std::string& name, const JsonPlace& place) {
    if (seen_.insert(FoldPath(name)).second) return {};
    return place.Key("name").Bad(fmt::format(
        "the name '{}' is taken already; names are the same in upper and in lower case", name));
  }

 private:
  std::set<std::string> seen_;
};

Status ReadAccessRules(const Json& json, const JsonPlace& place, const std::string& entity,
                       std::vector<v1::AccessRule>& rules) {
  const Result<Json::array_t> list = ListOf(json, place, "access_rules");
  if (!list.ok()) return list.status();
  Names names;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonPlace item = place.Key("access_rules").Item(i);
    Result<v1::AccessRule> rule = ReadAccessRule((*list)[i], item);
    if (!rule.ok()) return rule.status();
    WHARF_RETURN_IF_ERROR(names.Add(rule->name(), item));
    const bool is_root = entity.empty() && access::FoldRuleName(rule->name()) ==
                                               access::FoldRuleName(access::kRootRuleName);
    if (is_root) return item.Bad("the broker makes this rule itself: leave it out");
    rule->set_entity_path(entity);
    rules.push_back(*std::move(rule));
  }
  if (rules.size() <= access::kRulesMax) return {};
  return place.Key("access_rules")
      .Bad(fmt::format("there may be {} access rules at most", access::kRulesMax));
}

template <typename Properties>
Status ReadEntity(const Json& json, const JsonPlace& place, const std::vector<std::string>& parts,
                  Properties& properties) {
  WHARF_RETURN_IF_ERROR(CheckObject(json, place, KeysOf(properties, parts)));
  const Result<std::string> name = TextOf(json, place, "name");
  if (!name.ok()) return name.status();
  WHARF_RETURN_IF_ERROR(ReadFields(properties, json, place));
  const Status normal = Normalize(properties);
  if (normal.ok()) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("{} ('{}'): {}", place.text(), Printable(*name, kNameWidthMax),
                      normal.message())};
}

Status ReadRules(const Json& json, const JsonPlace& place, std::vector<v1::Rule>& rules) {
  const Result<Json::array_t> list = ListOf(json, place, "rules");
  if (!list.ok()) return list.status();
  Names names;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonPlace item = place.Key("rules").Item(i);
    Result<v1::Rule> rule = ReadRule((*list)[i], item);
    if (!rule.ok()) return rule.status();
    WHARF_RETURN_IF_ERROR(names.Add(rule->name(), item));
    rules.push_back(*std::move(rule));
  }
  return {};
}

Status ReadSubscriptions(const Json& json, const JsonPlace& place, TopicDefinition& topic) {
  const Result<Json::array_t> list = ListOf(json, place, "subscriptions");
  if (!list.ok()) return list.status();
  Names names;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonPlace item = place.Key("subscriptions").Item(i);
    SubscriptionDefinition subscription;
    subscription.properties.set_topic(topic.properties.name());
    WHARF_RETURN_IF_ERROR(ReadEntity((*list)[i], item, {"rules"}, subscription.properties));
    WHARF_RETURN_IF_ERROR(names.Add(subscription.properties.name(), item));
    if (!(*list)[i].contains("rules")) {
      return item.Bad("the key \"rules\" is missing; a list without a rule takes no message");
    }
    WHARF_RETURN_IF_ERROR(ReadRules((*list)[i], item, subscription.rules));
    topic.subscriptions.push_back(std::move(subscription));
  }
  return {};
}

Status ReadQueues(const Json& json, Names& names, std::vector<QueueDefinition>& queues) {
  const Result<Json::array_t> list = ListOf(json, JsonPlace(), "queues");
  if (!list.ok()) return list.status();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonPlace item = JsonPlace().Key("queues").Item(i);
    QueueDefinition queue;
    WHARF_RETURN_IF_ERROR(ReadEntity((*list)[i], item, {"access_rules"}, queue.properties));
    WHARF_RETURN_IF_ERROR(names.Add(queue.properties.name(), item));
    WHARF_RETURN_IF_ERROR(
        ReadAccessRules((*list)[i], item, queue.properties.name(), queue.access_rules));
    queues.push_back(std::move(queue));
  }
  return {};
}

Status ReadTopics(const Json& json, Names& names, std::vector<TopicDefinition>& topics) {
  const Result<Json::array_t> list = ListOf(json, JsonPlace(), "topics");
  if (!list.ok()) return list.status();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const JsonPlace item = JsonPlace().Key("topics").Item(i);
    TopicDefinition topic;
    WHARF_RETURN_IF_ERROR(
        ReadEntity((*list)[i], item, {"access_rules", "subscriptions"}, topic.properties));
    WHARF_RETURN_IF_ERROR(names.Add(topic.properties.name(), item));
    WHARF_RETURN_IF_ERROR(
        ReadAccessRules((*list)[i], item, topic.properties.name(), topic.access_rules));
    WHARF_RETURN_IF_ERROR(ReadSubscriptions((*list)[i], item, topic));
    topics.push_back(std::move(topic));
  }
  return {};
}

// Before the keys: another version has others.
Status CheckVersion(const Json& json) {
  if (!json.is_object()) return JsonPlace().Bad("this must be an object");
  const auto version = json.find("format_version");
  if (version == json.end()) {
    return JsonPlace().Bad(
        fmt::format("the key \"format_version\" is missing; it is {}", kDefinitionsVersion));
  }
  if (version->is_number_integer() && *version == kDefinitionsVersion) return {};
  return JsonPlace()
      .Key("format_version")
      .Bad(fmt::format("this program reads the version {} only", kDefinitionsVersion));
}

}  // namespace

Result<Definitions> ReadDefinitions(std::string_view text) {
  const Result<Json> json = ParseJsonText(text);
  if (!json.ok()) return json.status();
  WHARF_RETURN_IF_ERROR(CheckVersion(*json));
  WHARF_RETURN_IF_ERROR(
      CheckObject(*json, JsonPlace(), {"format_version", "access_rules", "queues", "topics"}));
  Definitions definitions;
  Names names;
  WHARF_RETURN_IF_ERROR(ReadAccessRules(*json, JsonPlace(), "", definitions.access_rules));
  WHARF_RETURN_IF_ERROR(ReadQueues(*json, names, definitions.queues));
  WHARF_RETURN_IF_ERROR(ReadTopics(*json, names, definitions.topics));
  return definitions;
}

}  // namespace wharf::tool
