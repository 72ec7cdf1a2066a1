#include "tools/wharf/definitions/broker_definitions.h"

#include <utility>
#include <vector>

#include "broker/access/access_rule.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/all_pages.h"

namespace wharf::tool {
namespace {

bool IsGone(const Status& status) { return status.code() == ErrorCode::kMessagingEntityNotFound; }

bool IsRoot(const v1::AccessRule& rule) {
  return rule.entity_path().empty() &&
         access::FoldRuleName(rule.name()) == access::FoldRuleName(access::kRootRuleName);
}

// Empty: of the namespace.
Status ReadAccessRulesOf(client::Client& client, const std::string& path,
                         std::vector<v1::AccessRule>& rules) {
  v1::ListAccessRulesRequest request;
  request.set_entity_path(path);
  const auto listed = client.management().ListAccessRules(request);
  if (!listed.ok()) return listed.status();
  for (const v1::AccessRule& rule : listed->rules()) {
    if (!IsRoot(rule)) rules.push_back(rule);
  }
  return {};
}

Status ReadRulesOf(client::Client& client, SubscriptionDefinition& subscription) {
  const client::SubscriptionId id = {.topic = subscription.properties.topic(),
                                     .name = subscription.properties.name()};
  return EachPage([&](const std::string& token) { return client.topics().ListRules(id, token); },
                  [&](const v1::ListRulesResponse& page) {
                    subscription.rules.insert(subscription.rules.end(), page.rules().begin(),
                                              page.rules().end());
                    return true;
                  });
}

class BrokerReader {
 public:
  explicit BrokerReader(client::Client& client) : client_(client) {}

  Result<BrokerDefinitions> Read() {
    WHARF_RETURN_IF_ERROR(ReadAccessRulesOf(client_, "", broker_.definitions.access_rules));
    WHARF_RETURN_IF_ERROR(ReadQueues());
    WHARF_RETURN_IF_ERROR(ReadTopics());
    return std::move(broker_);
  }

 private:
  Status ReadQueues() {
    Status failure;
    const auto visit = [&](const v1::ListQueuesResponse& page) {
      for (int i = 0; i < page.queues_size() && failure.ok(); ++i) {
        failure = AddQueue(page.queues(i), page.runtime(i));
      }
      return failure.ok();
    };
    WHARF_RETURN_IF_ERROR(EachPage(
        [&](const std::string& token) { return client_.management().ListQueues(token); }, visit));
    return failure;
  }

  Status AddQueue(const v1::QueueProperties& properties,
                  const v1::QueueRuntimeProperties& runtime) {
    QueueDefinition queue{.properties = properties, .access_rules = {}};
    const Status read = ReadAccessRulesOf(client_, properties.name(), queue.access_rules);
    if (!read.ok()) return IsGone(read) ? Status() : read;
    broker_.messages[FoldPath(properties.name())] = runtime.total_message_count();
    broker_.definitions.queues.push_back(std::move(queue));
    return {};
  }

  Status ReadTopics() {
    Status failure;
    const auto visit = [&](const v1::ListTopicsResponse& page) {
      for (int i = 0; i < page.topics_size() && failure.ok(); ++i) {
        failure = AddTopic(page.topics(i), page.runtime(i));
      }
      return failure.ok();
    };
    WHARF_RETURN_IF_ERROR(EachPage(
        [&](const std::string& token) { return client_.topics().ListTopics(token); }, visit));
    return failure;
  }

  Status AddTopic(const v1::TopicProperties& properties,
                  const v1::TopicRuntimeProperties& runtime) {
    TopicDefinition topic{.properties = properties, .access_rules = {}, .subscriptions = {}};
    Status read = ReadAccessRulesOf(client_, properties.name(), topic.access_rules);
    std::int64_t messages = runtime.scheduled_message_count();
    if (read.ok() && runtime.subscription_count() > 0) read = ReadSubscriptions(topic, messages);
    if (!read.ok()) return IsGone(read) ? Status() : read;
    broker_.messages[FoldPath(properties.name())] = messages;
    broker_.definitions.topics.push_back(std::move(topic));
    return {};
  }

  Status ReadSubscriptions(TopicDefinition& topic, std::int64_t& messages) {
    const std::string& name = topic.properties.name();
    Status failure;
    const auto visit = [&](const v1::ListSubscriptionsResponse& page) {
      for (int i = 0; i < page.subscriptions_size() && failure.ok(); ++i) {
        messages += page.runtime(i).total_message_count();
        failure = AddSubscription(page.subscriptions(i), page.runtime(i), topic);
      }
      return failure.ok();
    };
    WHARF_RETURN_IF_ERROR(EachPage(
        [&](const std::string& token) { return client_.topics().ListSubscriptions(name, token); },
        visit));
    return failure;
  }

  Status AddSubscription(const v1::SubscriptionProperties& properties,
                         const v1::SubscriptionRuntimeProperties& runtime, TopicDefinition& topic) {
    SubscriptionDefinition subscription{.properties = properties, .rules = {}};
    const Status read = ReadRulesOf(client_, subscription);
    if (!read.ok()) return IsGone(read) ? Status() : read;
    const std::string path = SubscriptionPath(properties.topic(), properties.name());
    broker_.messages[FoldPath(path)] = runtime.total_message_count();
    topic.subscriptions.push_back(std::move(subscription));
    return {};
  }

  client::Client& client_;
  BrokerDefinitions broker_;
};

}  // namespace

Result<BrokerDefinitions> ReadBroker(client::Client& client) { return BrokerReader(client).Read(); }

Result<std::int64_t> MessagesOfQueue(client::Client& client, const std::string& path) {
  const auto runtime = client.management().GetQueueRuntimeProperties(path);
  if (!runtime.ok()) return runtime.status();
  return runtime->total_message_count();
}

Result<std::int64_t> MessagesOfTopic(client::Client& client, const std::string& path) {
  const auto runtime = client.topics().GetTopicRuntimeProperties(path);
  if (!runtime.ok()) return runtime.status();
  std::int64_t messages = runtime->scheduled_message_count();
  const auto count = [&messages](const v1::ListSubscriptionsResponse& page) {
    for (const auto& each : page.runtime()) messages += each.total_message_count();
    return true;
  };
  WHARF_RETURN_IF_ERROR(EachPage(
      [&](const std::string& token) { return client.topics().ListSubscriptions(path, token); },
      count));
  return messages;
}

Result<std::int64_t> MessagesOfSubscription(client::Client& client,
                                            const client::SubscriptionId& id) {
  const auto runtime = client.topics().GetSubscriptionRuntimeProperties(id);
  if (!runtime.ok()) return runtime.status();
  return runtime->total_message_count();
}

}  // namespace wharf::tool
