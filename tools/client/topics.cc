#include "tools/client/topics.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {
namespace {

using Stub = v1::Topics::Stub;

template <typename Request>
Request For(const SubscriptionId& id) {
  Request request;
  request.set_entity_path(id.path());
  return request;
}

}  // namespace

Topics::Topics(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::TopicProperties> Topics::CreateTopic(const v1::TopicProperties& topic) {
  v1::CreateTopicRequest request;
  *request.mutable_topic() = topic;
  return CallUnary(*endpoints_, &Stub::CreateTopic, request, timeout_);
}

Result<v1::TopicProperties> Topics::UpdateTopic(const v1::UpdateTopicRequest& request) {
  return CallUnary(*endpoints_, &Stub::UpdateTopic, request, timeout_);
}

Result<v1::TopicProperties> Topics::GetTopic(const std::string& name) {
  v1::GetTopicRequest request;
  request.set_entity_path(name);
  return CallToLook(*endpoints_, &Stub::GetTopic, request, timeout_);
}

Result<v1::ListTopicsResponse> Topics::ListTopics(const std::string& page_token) {
  v1::ListTopicsRequest request;
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListTopics, request, timeout_);
}

Status Topics::DeleteTopic(const std::string& name, const std::string& etag) {
  v1::DeleteTopicRequest request;
  request.set_entity_path(name);
  request.set_etag(etag);
  return CallUnary(*endpoints_, &Stub::DeleteTopic, request, timeout_).status();
}

Result<v1::TopicRuntimeProperties> Topics::GetTopicRuntimeProperties(const std::string& name) {
  v1::GetTopicRuntimePropertiesRequest request;
  request.set_entity_path(name);
  return CallToLook(*endpoints_, &Stub::GetTopicRuntimeProperties, request, timeout_);
}

Result<v1::SubscriptionProperties> Topics::CreateSubscription(
    const v1::CreateSubscriptionRequest& request) {
  return CallUnary(*endpoints_, &Stub::CreateSubscription, request, timeout_);
}

Result<v1::SubscriptionProperties> Topics::UpdateSubscription(
    const v1::UpdateSubscriptionRequest& request) {
  return CallUnary(*endpoints_, &Stub::UpdateSubscription, request, timeout_);
}

Result<v1::SubscriptionProperties> Topics::GetSubscription(const SubscriptionId& id) {
  return CallToLook(*endpoints_, &Stub::GetSubscription, For<v1::GetSubscriptionRequest>(id),
                    timeout_);
}

Result<v1::ListSubscriptionsResponse> Topics::ListSubscriptions(const std::string& topic,
                                                                const std::string& page_token) {
  v1::ListSubscriptionsRequest request;
  request.set_entity_path(topic);
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListSubscriptions, request, timeout_);
}

Status Topics::DeleteSubscription(const SubscriptionId& id, const std::string& etag) {
  auto request = For<v1::DeleteSubscriptionRequest>(id);
  request.set_etag(etag);
  return CallUnary(*endpoints_, &Stub::DeleteSubscription, request, timeout_).status();
}

Result<v1::SubscriptionRuntimeProperties> Topics::GetSubscriptionRuntimeProperties(
    const SubscriptionId& id) {
  return CallToLook(*endpoints_, &Stub::GetSubscriptionRuntimeProperties,
                    For<v1::GetSubscriptionRuntimePropertiesRequest>(id), timeout_);
}

Result<v1::Rule> Topics::AddRule(const SubscriptionId& id, const v1::Rule& rule) {
  auto request = For<v1::AddRuleRequest>(id);
  *request.mutable_rule() = rule;
  return CallUnary(*endpoints_, &Stub::AddRule, request, timeout_);
}

Result<v1::Rule> Topics::UpdateRule(const SubscriptionId& id, const v1::Rule& rule) {
  auto request = For<v1::UpdateRuleRequest>(id);
  *request.mutable_rule() = rule;
  return CallUnary(*endpoints_, &Stub::UpdateRule, request, timeout_);
}

Status Topics::RemoveRule(const SubscriptionId& id, const std::string& name,
                          const std::string& etag) {
  auto request = For<v1::RemoveRuleRequest>(id);
  request.set_name(name);
  request.set_etag(etag);
  return CallUnary(*endpoints_, &Stub::RemoveRule, request, timeout_).status();
}

Result<v1::Rule> Topics::GetRule(const SubscriptionId& id, const std::string& name) {
  auto request = For<v1::GetRuleRequest>(id);
  request.set_name(name);
  return CallToLook(*endpoints_, &Stub::GetRule, request, timeout_);
}

Result<v1::ListRulesResponse> Topics::ListRules(const SubscriptionId& id,
                                                const std::string& page_token) {
  auto request = For<v1::ListRulesRequest>(id);
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListRules, request, timeout_);
}

Result<v1::EvaluateRuleResponse> Topics::EvaluateRule(const v1::EvaluateRuleRequest& request) {
  return CallToLook(*endpoints_, &Stub::EvaluateRule, request, timeout_);
}

}  // namespace wharf::client
