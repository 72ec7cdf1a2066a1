#include "tools/wharf/definitions/entity_view.h"

#include "broker/core/entities/names.h"

namespace wharf::tool {
namespace {

std::string TargetOf(const google::protobuf::Message& properties, const std::string& name) {
  const auto* field = properties.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) return {};
  const std::string target = properties.GetReflection()->GetString(properties, field);
  return target.empty() ? target : ParseAddress(target).entity;
}

EntityView ViewOf(const QueueDefinition& queue) {
  const std::string& path = queue.properties.name();
  return {.kind = DefinitionKind::kQueue,
          .path = path,
          .key = FoldPath(path),
          .topic_key = {},
          .properties = &queue.properties,
          .access_rules = &queue.access_rules,
          .rules = nullptr};
}

EntityView ViewOf(const TopicDefinition& topic) {
  const std::string& path = topic.properties.name();
  return {.kind = DefinitionKind::kTopic,
          .path = path,
          .key = FoldPath(path),
          .topic_key = {},
          .properties = &topic.properties,
          .access_rules = &topic.access_rules,
          .rules = nullptr};
}

EntityView ViewOf(const SubscriptionDefinition& subscription) {
  const v1::SubscriptionProperties& properties = subscription.properties;
  const std::string path = SubscriptionPath(properties.topic(), properties.name());
  return {.kind = DefinitionKind::kSubscription,
          .path = path,
          .key = FoldPath(path),
          .topic_key = FoldPath(properties.topic()),
          .properties = &properties,
          .access_rules = nullptr,
          .rules = &subscription.rules};
}

}  // namespace

std::string_view NameOf(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::kQueue:
      return "queue";
    case DefinitionKind::kTopic:
      return "topic";
    case DefinitionKind::kSubscription:
      return "subscription";
    case DefinitionKind::kRule:
      return "rule";
    case DefinitionKind::kAccessRule:
      return "access rule";
  }
  return "entity";
}

std::string EntityView::forward_key() const { return TargetOf(*properties, "forward_to"); }

std::string EntityView::dead_letter_forward_key() const {
  return TargetOf(*properties, "forward_dead_lettered_messages_to");
}

std::vector<EntityView> EntitiesOf(const Definitions& definitions) {
  std::vector<EntityView> all;
  for (const QueueDefinition& queue : definitions.queues) all.push_back(ViewOf(queue));
  for (const TopicDefinition& topic : definitions.topics) {
    all.push_back(ViewOf(topic));
    for (const SubscriptionDefinition& each : topic.subscriptions) all.push_back(ViewOf(each));
  }
  return all;
}

}  // namespace wharf::tool
