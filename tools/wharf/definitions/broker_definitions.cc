#include "tools/wharf/definitions/broker_definitions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "broker/access/access_rule.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/all_pages.h"
#include "tools/wharf/text/property_text.h"

namespace wharf::tool {
namespace {

bool IsGone(const Status& status) { return status.code() == ErrorCode::kMessagingEntityNotFound; }

Holding HoldingIn(const v1::QueueRuntimeProperties& queue) {
  return {.messages = queue.total_message_count(), .bytes = queue.size_in_bytes()};
}

// Its bytes are those of its subscriptions, too; their messages are still to be counted.
Holding HoldingIn(const v1::TopicRuntimeProperties& topic) {
  return {.messages = topic.scheduled_message_count(), .bytes = topic.size_in_bytes()};
}

Holding HoldingIn(const v1::SubscriptionRuntimeProperties& subscription) {
  return {.messages = subscription.total_message_count()};
}

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

using Properties = google::protobuf::Map<std::string, v1::PropertyValue>;

void KeepWhatAFileSays(Properties& properties) {
  for (auto& [name, value] : properties) {
    Result<v1::PropertyValue> kept = PropertyFromJson(PropertyToJson(value));
    if (kept.ok()) value = *std::move(kept);
  }
}

bool HasNull(const v1::CorrelationFilter& filter) {
  const auto& properties = filter.application_properties();
  return std::any_of(properties.begin(), properties.end(), [](const auto& each) {
    return each.second.kind_case() == v1::PropertyValue::KIND_NOT_SET;
  });
}

// The same rule as a file can say it, and a broker of today takes it: one of before took values
// that no file has, and nulls, which are equal to nothing.
void MakeSayable(v1::Rule& rule) {
  if (rule.has_correlation_filter() && HasNull(rule.correlation_filter())) {
    rule.mutable_false_filter();
  }
  if (rule.has_correlation_filter()) {
    KeepWhatAFileSays(*rule.mutable_correlation_filter()->mutable_application_properties());
  }
  if (rule.has_sql_filter()) KeepWhatAFileSays(*rule.mutable_sql_filter()->mutable_parameters());
  if (rule.has_action()) KeepWhatAFileSays(*rule.mutable_action()->mutable_parameters());
}

Status ReadRulesOf(client::Client& client, SubscriptionDefinition& subscription) {
  const client::SubscriptionId id = {.topic = subscription.properties.topic(),
                                     .name = subscription.properties.name()};
  return EachPage([&](const std::string& token) { return client.topics().ListRules(id, token); },
                  [&](const v1::ListRulesResponse& page) {
                    for (const v1::Rule& rule : page.rules()) {
                      MakeSayable(subscription.rules.emplace_back(rule));
                    }
                    return true;
                  });
}

class BrokerReader {
 public:
  explicit BrokerReader(client::Client& client) : client_(client) {}

  Result<BrokerDefinitions> Read() {
    WHARF_RETURN_IF_ERROR(ReadBounds());
    WHARF_RETURN_IF_ERROR(ReadAccessRulesOf(client_, "", broker_.definitions.access_rules));
    WHARF_RETURN_IF_ERROR(ReadQueues());
    WHARF_RETURN_IF_ERROR(ReadTopics());
    return std::move(broker_);
  }

 private:
  Status ReadBounds() {
    const auto statistics = client_.management().GetBrokerStatistics();
    if (!statistics.ok()) return statistics.status();
    broker_.bounds = {.top_level = statistics->max_top_level_entity_count(),
                      .subscriptions_of_a_topic = statistics->max_subscriptions_per_topic()};
    return {};
  }

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
    broker_.holdings[FoldPath(properties.name())] = HoldingIn(runtime);
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
    Holding holding = HoldingIn(runtime);
    if (read.ok() && runtime.subscription_count() > 0) read = ReadSubscriptions(topic, holding);
    if (!read.ok()) return IsGone(read) ? Status() : read;
    broker_.holdings[FoldPath(properties.name())] = holding;
    broker_.definitions.topics.push_back(std::move(topic));
    return {};
  }

  Status ReadSubscriptions(TopicDefinition& topic, Holding& holding) {
    const std::string& name = topic.properties.name();
    Status failure;
    const auto visit = [&](const v1::ListSubscriptionsResponse& page) {
      for (int i = 0; i < page.subscriptions_size() && failure.ok(); ++i) {
        holding.messages += page.runtime(i).total_message_count();
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
    broker_.holdings[FoldPath(path)] = HoldingIn(runtime);
    topic.subscriptions.push_back(std::move(subscription));
    return {};
  }

  client::Client& client_;
  BrokerDefinitions broker_;
};

}  // namespace

Result<BrokerDefinitions> ReadBroker(client::Client& client) { return BrokerReader(client).Read(); }

std::string TextOf(const Holding& holding) {
  if (holding.has_only_states()) {
    return fmt::format("session states of {} byte{}", holding.bytes, holding.bytes == 1 ? "" : "s");
  }
  return fmt::format("{} message{}", holding.messages, holding.messages == 1 ? "" : "s");
}

Result<Holding> HoldingOfQueue(client::Client& client, const std::string& path) {
  const auto runtime = client.management().GetQueueRuntimeProperties(path);
  if (!runtime.ok()) return runtime.status();
  return HoldingIn(*runtime);
}

Result<Holding> HoldingOfTopic(client::Client& client, const std::string& path) {
  const auto runtime = client.topics().GetTopicRuntimeProperties(path);
  if (!runtime.ok()) return runtime.status();
  Holding holding = HoldingIn(*runtime);
  const auto count = [&holding](const v1::ListSubscriptionsResponse& page) {
    for (const auto& each : page.runtime()) holding.messages += each.total_message_count();
    return true;
  };
  WHARF_RETURN_IF_ERROR(EachPage(
      [&](const std::string& token) { return client.topics().ListSubscriptions(path, token); },
      count));
  return holding;
}

Result<Holding> HoldingOfSubscription(client::Client& client, const client::SubscriptionId& id) {
  const auto runtime = client.topics().GetSubscriptionRuntimeProperties(id);
  if (!runtime.ok()) return runtime.status();
  return HoldingIn(*runtime);
}

}  // namespace wharf::tool
