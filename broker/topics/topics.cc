#include "broker/topics/topics.h"

#include <string>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

Status Damaged(const RuleAdded& stored, const Status& why) {
  return {
      ErrorCode::kGeneralError,
      fmt::format("the rule '{:.64}' of the subscription with the id {} is damaged: {}; restore "
                  "the folder from a backup",
                  stored.rule->name, stored.subscription.number(), why.message())};
}

Status NoSubscription(const Queue& queue) {
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' is no subscription: only subscriptions have rules",
                      queue.description().name)};
}

}  // namespace

Status Topics::Load(const std::vector<RuleAdded>& rules) {
  for (Queue* queue : catalog_.queues()) {
    if (queue->kind() == EntityKind::kTopic) AddTopic(*queue);
  }
  for (Queue* queue : catalog_.queues()) {
    const Queue* parent = catalog_.TopicOf(*queue);
    if (parent == nullptr) continue;
    Find(parent->id())->Subscribe(*queue);
    topic_of_.emplace(queue->id(), parent->id());
  }
  for (const RuleAdded& each : rules) {
    // What is left of a subscription that was deleted goes with its other rows.
    const auto topic = topic_of_.find(each.subscription);
    if (topic == topic_of_.end()) continue;
    Result<Rule> rule = CompileRule(each.subscription, *each.rule);
    if (!rule.ok()) return Damaged(each, rule.status());
    Find(topic->second)->rules().Add(*std::move(rule));
  }
  return {};
}

Topic* Topics::Find(EntityId topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? nullptr : found->second.get();
}

std::size_t Topics::CopiesOf(const Queue& queue) const {
  const Topic* topic = Find(queue.id());
  return topic == nullptr ? 1 : 1 + topic->copies_max();
}

std::size_t Topics::FiltersOf(const Queue& queue) const {
  const Topic* topic = Find(queue.id());
  return topic == nullptr ? 0 : topic->rules().sql_filters();
}

std::size_t Topics::StepsOf(const Queue& queue) const {
  const Topic* topic = Find(queue.id());
  return topic == nullptr ? 0 : topic->steps_per_message();
}

Topic* Topics::TopicOf(const Queue& subscription) const {
  const auto found = topic_of_.find(subscription.id());
  return found == topic_of_.end() ? nullptr : Find(found->second);
}

void Topics::AddTopic(Queue& queue) {
  auto topic = std::make_unique<Topic>(limits_, random_, work_);
  queue.SetOutlet(*topic);
  topics_.emplace(queue.id(), std::move(topic));
}

Result<Rule> Topics::CheckFirstRule(std::string_view path, std::optional<RuleDescription> rule,
                                    Timestamp now) const {
  RuleDescription first = std::move(rule).value_or(RuleDescription());
  if (first.name.empty()) first.name = std::string(kDefaultRuleName);
  first.created_at = now;
  const Result<Queue*> topic =
      catalog_.Find(EntityKind::kTopic, FoldPath(SplitSubscriptionPath(path).topic));
  if (!topic.ok()) return topic.status();
  // With the one that it is for.
  const Topic& of = *Find((*topic)->id());
  WHARF_RETURN_IF_ERROR(of.rules().CheckRoom(first, of.subscriptions().size() + 1));
  return CompileRule(EntityId(), std::move(first));
}

void Topics::AddSubscription(Queue& queue, Rule first_rule, Changes& changes) {
  const EntityId id = catalog_.TopicOf(queue)->id();
  Topic* topic = Find(id);
  topic->Subscribe(queue);
  topic_of_.emplace(queue.id(), id);
  first_rule.subscription = queue.id();
  changes.push_back(RuleAdded{queue.id(), first_rule.description});
  topic->rules().Add(std::move(first_rule));
}

void Topics::Forget(const std::vector<EntityId>& entities) {
  for (const EntityId entity : entities) topics_.erase(entity);
  for (const EntityId entity : entities) {
    const auto found = topic_of_.find(entity);
    if (found == topic_of_.end()) continue;
    if (Topic* topic = Find(found->second); topic != nullptr) topic->Unsubscribe(entity);
    topic_of_.erase(found);
  }
}

Result<RuleDescription> Topics::AddRule(Queue& queue, RuleDescription rule, Timestamp now,
                                        Changes& changes) {
  Topic* topic = TopicOf(queue);
  if (topic == nullptr) return NoSubscription(queue);
  rule.created_at = now;
  Result<Rule> compiled = CompileRule(queue.id(), rule);
  if (!compiled.ok()) return compiled.status();
  WHARF_RETURN_IF_ERROR(topic->rules().CheckNew(queue.id(), rule, topic->subscriptions().size()));
  topic->rules().Add(*std::move(compiled));
  queue.NoteActivity(now);
  changes.push_back(RuleAdded{queue.id(), rule});
  return rule;
}

Status Topics::RemoveRule(Queue& queue, std::string_view name, Timestamp now, Changes& changes) {
  Topic* topic = TopicOf(queue);
  if (topic == nullptr) return NoSubscription(queue);
  Result<std::string> stored = topic->rules().Remove(queue.id(), name);
  if (!stored.ok()) return stored.status();
  queue.NoteActivity(now);
  changes.push_back(RuleRemoved{queue.id(), *std::move(stored)});
  return {};
}

// The new one finds the room that the old one leaves.
Result<RuleDescription> Topics::ReplaceRule(Queue& queue, std::string_view name,
                                            RuleDescription rule, Timestamp now, Changes& changes) {
  Topic* topic = TopicOf(queue);
  if (topic == nullptr) return NoSubscription(queue);
  const EntityId subscription = queue.id();
  RuleSet& rules = topic->rules();
  const Rule* found = rules.Find(subscription, name);
  if (found == nullptr) return rules.Remove(subscription, name).status();
  const Rule before = *found;
  rule.name = before.description.name;
  rule.created_at = before.description.created_at;
  Result<Rule> compiled = CompileRule(subscription, rule);
  if (!compiled.ok()) return compiled.status();
  WHARF_RETURN_IF_ERROR(rules.Remove(subscription, name).status());
  if (Status full = rules.CheckRoom(rule, topic->subscriptions().size()); !full.ok()) {
    rules.Add(before);
    return full;
  }
  rules.Add(*std::move(compiled));
  queue.NoteActivity(now);
  changes.push_back(RuleRemoved{subscription, before.description.name});
  changes.push_back(RuleAdded{subscription, rule});
  return rule;
}

}  // namespace wharf
