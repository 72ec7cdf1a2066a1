// The commands about topics, subscriptions and rules.

#include <sstream>

#include <fmt/core.h>

#include "tests/scenarios/arguments.h"
#include "tests/scenarios/stage.h"

namespace wharf {
namespace {

Stage::Lines Refusal(const Status& status) {
  if (status.ok()) return {};
  return {status.ToString()};
}

std::string LineOf(const RuleDescription& rule) {
  std::string text = rule.name;
  if (std::holds_alternative<TrueFilter>(rule.filter)) text += " true";
  if (std::holds_alternative<FalseFilter>(rule.filter)) text += " false";
  if (const auto* sql = std::get_if<SqlText>(&rule.filter)) {
    text += fmt::format(" filter={}", QuotedValue(sql->text));
  }
  if (const auto* wanted = std::get_if<CorrelationFilter>(&rule.filter)) {
    text += " correlation" + TextOf(wanted->application_properties);
  }
  if (rule.action) text += fmt::format(" action={}", QuotedValue(rule.action->text));
  return text + fmt::format(" created={}", TextOf(rule.created_at));
}

}  // namespace

Stage::Lines Stage::CreateTopic(const Command& command) {
  return Refusal(engine_.Create(EntityKind::kTopic, DescriptionOf(command)));
}

Stage::Lines Stage::UpdateTopic(const Command& command) {
  return Refusal(engine_.Update(EntityKind::kTopic, DescriptionOf(command)));
}

Stage::Lines Stage::DeleteTopic(const Command& command) {
  return Refusal(engine_.Delete(EntityKind::kTopic, command.path));
}

Stage::Lines Stage::ShowTopic(const Command& command) {
  const Result<QueueSnapshot> topic = engine_.Get(EntityKind::kTopic, command.path);
  if (!topic.ok()) return Refusal(topic.status());
  return {fmt::format("subscriptions={} active={} scheduled={} bytes={}", topic->subscriptions,
                      topic->main.messages(), topic->main.scheduled, topic->bytes)};
}

Stage::Lines Stage::CreateSubscription(const Command& command) {
  std::optional<RuleDescription> rule;
  if (command.Has("rule")) rule = RuleOf(command);
  return Refusal(engine_.Create(EntityKind::kSubscription, DescriptionOf(command), rule));
}

Stage::Lines Stage::UpdateSubscription(const Command& command) {
  return Refusal(engine_.Update(EntityKind::kSubscription, DescriptionOf(command)));
}

Stage::Lines Stage::DeleteSubscription(const Command& command) {
  return Refusal(engine_.Delete(EntityKind::kSubscription, command.path));
}

Stage::Lines Stage::AddRule(const Command& command) {
  return Refusal(engine_.AddRule(command.path, RuleOf(command)));
}

Stage::Lines Stage::RemoveRule(const Command& command) {
  return Refusal(engine_.RemoveRule(command.path, command.Find("rule").value_or("")));
}

Stage::Lines Stage::ListRules(const Command& command) {
  const Result<RulePage> page = engine_.ListRules(command.path);
  if (!page.ok()) return Refusal(page.status());
  Lines lines;
  for (const RuleDescription& rule : page->rules) lines.push_back(LineOf(rule));
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

}  // namespace wharf
