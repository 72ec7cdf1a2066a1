#include "tools/wharf/definitions/definitions_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/definitions/definitions_reader.h"
#include "tools/wharf/definitions/rule_reader.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

const std::string& NameOf(const v1::AccessRule& rule) { return rule.name(); }
const std::string& NameOf(const v1::Rule& rule) { return rule.name(); }
template <typename Definition>
const std::string& NameOf(const Definition& definition) {
  return definition.properties.name();
}

template <typename Named>
void SortByName(std::vector<Named>& all) {
  std::sort(all.begin(), all.end(), [](const Named& one, const Named& other) {
    return FoldPath(NameOf(one)) < FoldPath(NameOf(other));
  });
}

// Without what the broker alone says; a subscription stands within its topic.
Json WriteProperties(const google::protobuf::Message& properties) {
  Json json = FieldsToJson(properties);
  json.erase("etag");
  json.erase("topic");
  return json;
}

Json WriteAccessRules(std::vector<v1::AccessRule> rules) {
  SortByName(rules);
  Json json = Json::array();
  for (const v1::AccessRule& rule : rules) json.push_back(WriteAccessRule(rule));
  return json;
}

Json WriteSubscription(SubscriptionDefinition subscription) {
  Json json = WriteProperties(subscription.properties);
  SortByName(subscription.rules);
  Json rules = Json::array();
  for (const v1::Rule& rule : subscription.rules) rules.push_back(WriteRule(rule));
  json["rules"] = std::move(rules);
  return json;
}

Json WriteTopic(TopicDefinition topic) {
  Json json = WriteProperties(topic.properties);
  json["access_rules"] = WriteAccessRules(std::move(topic.access_rules));
  SortByName(topic.subscriptions);
  Json subscriptions = Json::array();
  for (SubscriptionDefinition& each : topic.subscriptions) {
    subscriptions.push_back(WriteSubscription(std::move(each)));
  }
  json["subscriptions"] = std::move(subscriptions);
  return json;
}

Json WriteQueue(QueueDefinition queue) {
  Json json = WriteProperties(queue.properties);
  json["access_rules"] = WriteAccessRules(std::move(queue.access_rules));
  return json;
}

}  // namespace

Json WriteDefinitions(Definitions definitions) {
  SortByName(definitions.queues);
  SortByName(definitions.topics);
  Json queues = Json::array();
  for (QueueDefinition& queue : definitions.queues) queues.push_back(WriteQueue(std::move(queue)));
  Json topics = Json::array();
  for (TopicDefinition& topic : definitions.topics) topics.push_back(WriteTopic(std::move(topic)));
  return {{"format_version", kDefinitionsVersion},
          {"access_rules", WriteAccessRules(std::move(definitions.access_rules))},
          {"queues", std::move(queues)},
          {"topics", std::move(topics)}};
}

std::string DefinitionsText(Definitions definitions) {
  constexpr int kIndent = 2;
  const std::string text = WriteDefinitions(std::move(definitions))
                               .dump(kIndent, ' ', false, Json::error_handler_t::replace);
  std::string lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    lines += WithJsonEscapes(std::string(line)) + "\n";
  }
  return lines;
}

}  // namespace wharf::tool
