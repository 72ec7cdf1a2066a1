// Topics: creates, shows, changes and deletes topics, their subscriptions and rules; tells which
// rules would take a message.
//
// Every call waits for its answer. Made by Client; any thread may call.
#pragma once

#include <memory>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/topics.grpc.pb.h"

namespace wharf::client {

// A subscription by its names.
struct SubscriptionId {
  std::string topic;
  std::string name;

  // Where its messages are received from.
  std::string path() const { return topic + "/Subscriptions/" + name; }
};

class Topics {
 public:
  Topics(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  Result<v1::TopicProperties> CreateTopic(const v1::TopicProperties& topic);
  Result<v1::TopicProperties> UpdateTopic(const v1::UpdateTopicRequest& request);
  Result<v1::TopicProperties> GetTopic(const std::string& name);
  // One page; `page_token` is empty for the first.
  Result<v1::ListTopicsResponse> ListTopics(const std::string& page_token);
  // Only if it still has this etag; empty: in any case. Here and below.
  Status DeleteTopic(const std::string& name, const std::string& etag = {});
  Result<v1::TopicRuntimeProperties> GetTopicRuntimeProperties(const std::string& name);

  Result<v1::SubscriptionProperties> CreateSubscription(
      const v1::CreateSubscriptionRequest& request);
  Result<v1::SubscriptionProperties> UpdateSubscription(
      const v1::UpdateSubscriptionRequest& request);
  Result<v1::SubscriptionProperties> GetSubscription(const SubscriptionId& id);
  // One page; `page_token` is empty for the first.
  Result<v1::ListSubscriptionsResponse> ListSubscriptions(const std::string& topic,
                                                          const std::string& page_token);
  Status DeleteSubscription(const SubscriptionId& id, const std::string& etag = {});
  Result<v1::SubscriptionRuntimeProperties> GetSubscriptionRuntimeProperties(
      const SubscriptionId& id);

  Result<v1::Rule> AddRule(const SubscriptionId& id, const v1::Rule& rule);
  // Puts it in the place of the one of its name, in one step.
  Result<v1::Rule> UpdateRule(const SubscriptionId& id, const v1::Rule& rule);
  Status RemoveRule(const SubscriptionId& id, const std::string& name,
                    const std::string& etag = {});
  Result<v1::Rule> GetRule(const SubscriptionId& id, const std::string& name);
  // One page; `page_token` is empty for the first.
  Result<v1::ListRulesResponse> ListRules(const SubscriptionId& id, const std::string& page_token);
  Result<v1::EvaluateRuleResponse> EvaluateRule(const v1::EvaluateRuleRequest& request);

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
