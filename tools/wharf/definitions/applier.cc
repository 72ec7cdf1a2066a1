#include "tools/wharf/definitions/applier.h"

#include <utility>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "tools/wharf/definitions/broker_definitions.h"

namespace wharf::tool {
namespace {

using Verb = Change::Verb;

// A path of ours, or of the broker's: taken apart it has both names.
client::SubscriptionId IdOf(const std::string& path) {
  const SubscriptionName parts = SplitSubscriptionPath(path);
  return {.topic = std::string(parts.topic), .name = std::string(parts.name)};
}

// The rule that `change` brings, alone or with its subscription; null if it brings none.
const v1::Rule* RuleIn(const Change& change) {
  if (const auto* rule = std::get_if<v1::Rule>(&change.wanted)) return rule;
  const auto* subscription = std::get_if<SubscriptionDefinition>(&change.wanted);
  const bool has_one =
      change.verb == Verb::kCreate && subscription != nullptr && !subscription->rules.empty();
  return has_one ? &subscription->rules.front() : nullptr;
}

// It is about the rule, and not about whether the broker can be asked.
bool IsAboutTheRule(const Status& status) {
  return status.code() == ErrorCode::kFilterException ||
         status.code() == ErrorCode::kRuleActionException ||
         status.code() == ErrorCode::kArgumentError ||
         status.code() == ErrorCode::kArgumentOutOfRange;
}

Status RemoveAccessRule(client::Client& client, const Change& change) {
  v1::RemoveAccessRuleRequest request;
  request.set_entity_path(change.path);
  request.set_name(change.name);
  request.set_etag(change.etag);
  return client.management().RemoveAccessRule(request);
}

}  // namespace

template <typename Properties>
Status Applier::Note(const Change& change, const Result<Properties>& answer) {
  if (answer.ok()) etags_[change.path] = answer->etag();
  return answer.status();
}

template <typename Request, typename Properties>
Request Applier::UpdateOf(const Change& change, Properties properties,
                          Properties* (Request::*properties_of)()) const {
  Request request;
  request.set_entity_path(change.path);
  for (const PropertyChange& each : change.properties) {
    request.mutable_update_mask()->add_paths(each.name);
  }
  const auto changed = etags_.find(change.path);
  if (changed != etags_.end()) properties.set_etag(changed->second);
  *(request.*properties_of)() = std::move(properties);
  return request;
}

Status Applier::Do(const Change& change) {
  switch (change.verb) {
    case Verb::kCreate:
      return Create(change);
    case Verb::kUpdate:
      return Update(change);
    case Verb::kReplace:
      return Replace(change);
    case Verb::kDelete:
      return Delete(change);
  }
  return {};
}

Status Applier::Create(const Change& change) {
  switch (change.kind) {
    case DefinitionKind::kQueue:
      return Note(change,
                  client_.management().CreateQueue(std::get<v1::QueueProperties>(change.wanted)));
    case DefinitionKind::kTopic:
      return Note(change,
                  client_.topics().CreateTopic(std::get<v1::TopicProperties>(change.wanted)));
    case DefinitionKind::kSubscription:
      return CreateSubscription(change);
    case DefinitionKind::kRule:
      return client_.topics()
          .AddRule(IdOf(change.path), std::get<v1::Rule>(change.wanted))
          .status();
    case DefinitionKind::kAccessRule: {
      v1::CreateAccessRuleRequest request;
      *request.mutable_rule() = std::get<v1::AccessRule>(change.wanted);
      return client_.management().CreateAccessRule(request).status();
    }
  }
  return {};
}

// One that shall have no rule begins with one that takes nothing.
Status Applier::CreateSubscription(const Change& change) {
  const auto& wanted = std::get<SubscriptionDefinition>(change.wanted);
  v1::CreateSubscriptionRequest request;
  *request.mutable_subscription() = wanted.properties;
  v1::Rule& rule = *request.mutable_default_rule();
  if (wanted.rules.empty()) {
    rule.mutable_false_filter();
  } else {
    rule = wanted.rules.front();
  }
  WHARF_RETURN_IF_ERROR(Note(change, client_.topics().CreateSubscription(request)));
  if (!wanted.rules.empty()) return {};
  return client_.topics().RemoveRule(IdOf(change.path), "$Default");
}

Status Applier::Update(const Change& change) {
  if (const auto* queue = std::get_if<v1::QueueProperties>(&change.wanted)) {
    return Note(change, client_.management().UpdateQueue(
                            UpdateOf(change, *queue, &v1::UpdateQueueRequest::mutable_queue)));
  }
  if (const auto* topic = std::get_if<v1::TopicProperties>(&change.wanted)) {
    return Note(change, client_.topics().UpdateTopic(
                            UpdateOf(change, *topic, &v1::UpdateTopicRequest::mutable_topic)));
  }
  const auto& subscription = std::get<SubscriptionDefinition>(change.wanted);
  return Note(change, client_.topics().UpdateSubscription(
                          UpdateOf(change, subscription.properties,
                                   &v1::UpdateSubscriptionRequest::mutable_subscription)));
}

// Somebody may have sent since the plan was made.
Status Applier::CheckIsEmpty(const Change& change) {
  if (options_.loses_messages) return {};
  const Result<Holding> holding =
      change.kind == DefinitionKind::kQueue   ? HoldingOfQueue(client_, change.path)
      : change.kind == DefinitionKind::kTopic ? HoldingOfTopic(client_, change.path)
                                              : HoldingOfSubscription(client_, IdOf(change.path));
  if (!holding.ok() || holding->is_empty()) return holding.status();
  return {ErrorCode::kInvalidOperation,
          fmt::format("the {} '{}' holds {} by now, which would be lost with it; say "
                      "--lose-messages if that is what you want",
                      NameOf(change.kind), change.path, TextOf(*holding))};
}

// In one step: no message is missed, or taken by both.
Status Applier::Replace(const Change& change) {
  v1::Rule wanted = std::get<v1::Rule>(change.wanted);
  wanted.set_etag(change.etag);
  return client_.topics().UpdateRule(IdOf(change.path), wanted).status();
}

Status Applier::Delete(const Change& change) {
  switch (change.kind) {
    case DefinitionKind::kRule:
      return client_.topics().RemoveRule(IdOf(change.path), change.name, change.etag);
    case DefinitionKind::kAccessRule:
      return RemoveAccessRule(client_, change);
    default:
      break;
  }
  WHARF_RETURN_IF_ERROR(CheckIsEmpty(change));
  if (change.kind == DefinitionKind::kQueue) {
    return client_.management().DeleteQueue(change.path, change.etag);
  }
  if (change.kind == DefinitionKind::kTopic) {
    return client_.topics().DeleteTopic(change.path, change.etag);
  }
  return client_.topics().DeleteSubscription(IdOf(change.path), change.etag);
}

Status CheckRules(client::Client& client, Plan& plan) {
  for (const Change& change : plan.changes) {
    const v1::Rule* rule = RuleIn(change);
    if (rule == nullptr) continue;
    v1::EvaluateRuleRequest request;
    *request.mutable_rule() = *rule;
    const Status status = client.topics().EvaluateRule(request).status();
    if (status.ok()) continue;
    if (!IsAboutTheRule(status)) return status;
    plan.obstacles.push_back(
        {change.path, fmt::format("the rule '{}' of '{}' cannot be: {}", rule->name(), change.path,
                                  status.ToString())});
  }
  return {};
}

}  // namespace wharf::tool
