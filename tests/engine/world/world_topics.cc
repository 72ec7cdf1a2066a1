// What a topic and its rules make of a message: TOP-1, TOP-2, TOP-8, RUL-3..6, RUL-8, SEQ-6.

#include "tests/engine/world/world_model.h"
#include "tests/engine/world/world_rules.h"

namespace wharf {
namespace {

bool IsSubscriptionOf(const std::string& name, const std::string& topic) {
  return name.starts_with(topic + "/Subscriptions/");
}

}  // namespace

void WorldModel::Publish(const std::string& topic) {
  if (entities_.at(topic).kind != EntityKind::kTopic) return;
  while (!Find(topic)->messages(LaneKind::kMain).empty()) {
    ModelMessage sent = Find(topic)->messages(LaneKind::kMain).begin()->second;
    Edit(topic)->Remove(LaneKind::kMain, sent.number);
    if (sent.enqueued_number == 0) sent.enqueued_number = sent.number;
    for (const auto& [name, entity] : entities_) {
      if (IsSubscriptionOf(name, topic)) Copy(sent, name);
    }
  }
}

// One for all rules that change nothing, one for each that does, and one that tells of a filter
// that failed.
void WorldModel::Copy(const ModelMessage& sent, const std::string& subscription) {
  ModelQueue& queue = *Edit(subscription);
  bool has_plain = false;
  bool has_failed = false;
  for (const std::size_t place : entities_.at(subscription).rules) {
    const ModelRule& rule = ModelRules()[place];
    const Verdict verdict = rule.judge(sent);
    if (verdict == Verdict::kFails && !std::exchange(has_failed, true)) {
      if (!queue.description().dead_lettering_on_filter_evaluation_exceptions) continue;
      queue.AppendDead(sent, "FilterException", now_);
    }
    if (verdict != Verdict::kTakes) continue;
    if (rule.change != nullptr) {
      ModelMessage changed = sent;
      rule.change(changed);
      changed.properties["RuleName"] = rule.told.name;
      queue.Append(std::move(changed), now_);
    } else if (!std::exchange(has_plain, true)) {
      queue.Append(sent, now_);
    }
  }
}

bool WorldModel::AddRule(const std::string& subscription, std::size_t rule) {
  const auto found = entities_.find(subscription);
  return found != entities_.end() && found->second.rules.insert(rule).second;
}

bool WorldModel::RemoveRule(const std::string& subscription, std::size_t rule) {
  const auto found = entities_.find(subscription);
  return found != entities_.end() && found->second.rules.erase(rule) > 0;
}

}  // namespace wharf
