#include "broker/topics/rule_set.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "broker/filter/correlation_filter.h"
#include "broker/filter/correlation_key.h"

namespace wharf {
namespace {

// Bytes of text times bytes of pattern in the LIKEs of all rules for one message: the shard has a
// few milliseconds for it at most.
constexpr std::size_t kLikeStepsMax = 16 * 1024 * 1024;

Status TooMany(std::string_view what, std::size_t max) {
  return {ErrorCode::kQuotaExceeded,
          fmt::format("the topic has {} {} already, as many as it may have", max, what)};
}

std::size_t SizeOf(const SqlText& sql) { return sql.text.size() + SizeOf(sql.parameters); }

std::size_t SizeOf(const CorrelationFilter& filter) {
  std::size_t size = SizeOf(filter.application_properties);
  for (const CorrelationProperty& property : CorrelationProperties()) {
    size += (filter.*property.field).value_or("").size();
  }
  return size;
}

bool IsConstant(const RuleFilter& filter) {
  return std::holds_alternative<TrueFilter>(filter) || std::holds_alternative<FalseFilter>(filter);
}

std::size_t InstructionsOf(const Rule& rule) {
  return rule.filter ? rule.filter->program().code.size() : 0;
}

bool HasAction(const RuleSet::Match& match) { return match.rule->action.has_value(); }

}  // namespace

std::size_t SizeOf(const RuleDescription& rule) {
  std::size_t size = rule.name.size();
  if (rule.action) size += SizeOf(*rule.action);
  if (const auto* sql = std::get_if<SqlText>(&rule.filter)) size += SizeOf(*sql);
  if (const auto* wanted = std::get_if<CorrelationFilter>(&rule.filter)) size += SizeOf(*wanted);
  return size;
}

Result<Rule> CompileRule(EntityId subscription, RuleDescription description) {
  WHARF_RETURN_IF_ERROR(CheckRuleName(description.name));
  if (SizeOf(description) > kRuleBytesMax) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("the texts and values of the rule '{}' are larger than {} bytes",
                              description.name, kRuleBytesMax));
  }
  Rule rule{.subscription = subscription};
  if (const auto* sql = std::get_if<SqlText>(&description.filter)) {
    Result<SqlFilter> filter = SqlFilter::Compile(sql->text, sql->parameters);
    if (!filter.ok()) return filter.status();
    rule.filter = *std::move(filter);
  } else if (const auto* wanted = std::get_if<CorrelationFilter>(&description.filter)) {
    WHARF_RETURN_IF_ERROR(Check(*wanted));
  }
  if (description.action) {
    Result<SqlAction> action =
        SqlAction::Compile(description.action->text, description.action->parameters);
    if (!action.ok()) return action.status();
    rule.action = *std::move(action);
  }
  rule.description = std::move(description);
  return rule;
}

Status ApplyAction(const Rule& rule, const BrokerProperties& broker, Random& random,
                   Message& copy) {
  WHARF_RETURN_IF_ERROR(rule.action->Apply(copy, broker, random));
  Merge(copy.application_properties, {{std::string(kRuleName), rule.description.name}});
  Status bad = CheckMessage(copy);
  if (bad.ok() || bad.code() == ErrorCode::kMessageSizeExceeded) return bad;
  return {ErrorCode::kRuleActionException, std::string(bad.message())};
}

Status RuleSet::CheckRoom(const RuleDescription& rule, std::size_t subscriptions) const {
  if (rule.action && action_count_ >= limits_.sql_filters_max) {
    return TooMany("rules with an action", limits_.sql_filters_max);
  }
  return CheckFilter(rule.filter, subscriptions);
}

Status RuleSet::CheckFilter(const RuleFilter& filter, std::size_t subscriptions) const {
  if (std::holds_alternative<CorrelationFilter>(filter)) {
    if (correlation_count_ < limits_.correlation_filters_max) return {};
    return TooMany("correlation filters", limits_.correlation_filters_max);
  }
  // One for each subscription is free.
  const bool is_free = IsConstant(filter) && constant_count_ < subscriptions;
  const std::size_t charged = constant_count_ - std::min(constant_count_, subscriptions);
  if (is_free || sql_.size() + charged < limits_.sql_filters_max) return {};
  return TooMany("SQL filters", limits_.sql_filters_max);
}

Status RuleSet::CheckNew(EntityId subscription, const RuleDescription& rule,
                         std::size_t subscriptions) const {
  if (Find(subscription, rule.name) != nullptr) {
    return {ErrorCode::kMessagingEntityAlreadyExists,
            fmt::format("the subscription has a rule '{}' already", rule.name)};
  }
  return CheckRoom(rule, subscriptions);
}

void RuleSet::Add(Rule rule) {
  const EntityId subscription = rule.subscription;
  std::string name = FoldPath(rule.description.name);
  auto held = std::make_unique<Held>(Held{std::move(name), std::move(rule)});
  Index(held->rule);
  rules_[subscription].Add(std::move(held));
}

void RuleSet::Index(const Rule& rule) {
  const RuleFilter& filter = rule.description.filter;
  if (rule.action) ++action_count_;
  if (IsConstant(filter)) ++constant_count_;
  if (std::holds_alternative<TrueFilter>(filter)) always_.push_back(&rule);
  if (std::holds_alternative<SqlText>(filter)) sql_.push_back(&rule);
  sql_instructions_ += InstructionsOf(rule);
  if (const auto* wanted = std::get_if<CorrelationFilter>(&filter)) {
    ++correlation_count_;
    correlation_.Add(*wanted, ++last_id_);
    by_id_.emplace(last_id_, &rule);
    ids_.emplace(&rule, last_id_);
  }
}

// The lists of true and SQL filters are left to the caller, who may take out many at a time.
void RuleSet::NoteGone(const Rule& rule) {
  const RuleFilter& filter = rule.description.filter;
  if (rule.action) --action_count_;
  if (IsConstant(filter)) --constant_count_;
  sql_instructions_ -= InstructionsOf(rule);
  if (const auto* wanted = std::get_if<CorrelationFilter>(&filter)) Unindex(rule, *wanted);
}

void RuleSet::Unindex(const Rule& rule, const CorrelationFilter& wanted) {
  --correlation_count_;
  const auto id = ids_.find(&rule);
  correlation_.Remove(wanted, id->second);
  by_id_.erase(id->second);
  ids_.erase(id);
}

Result<std::string> RuleSet::Remove(EntityId subscription, std::string_view name) {
  const Rule* found = Find(subscription, name);
  if (found == nullptr) {
    return Status(ErrorCode::kMessagingEntityNotFound,
                  fmt::format("the subscription has no rule '{:.64}'", name));
  }
  std::string stored = found->description.name;
  const RuleFilter& filter = found->description.filter;
  if (std::holds_alternative<TrueFilter>(filter)) std::erase(always_, found);
  if (std::holds_alternative<SqlText>(filter)) std::erase(sql_, found);
  NoteGone(*found);
  const auto all = rules_.find(subscription);
  all->second.Remove(std::string_view(FoldPath(name)));
  if (all->second.empty()) rules_.erase(all);
  return stored;
}

// The lists are gone through once, however many rules go.
void RuleSet::RemoveAll(EntityId subscription) {
  const auto goes = [subscription](const Rule* rule) { return rule->subscription == subscription; };
  std::erase_if(always_, goes);
  std::erase_if(sql_, goes);
  const auto all = rules_.find(subscription);
  if (all == rules_.end()) return;
  for (const HeldPtr& each : all->second) NoteGone(each->rule);
  rules_.erase(all);
}

const Rule* RuleSet::Find(EntityId subscription, std::string_view name) const {
  const auto all = rules_.find(subscription);
  if (all == rules_.end()) return nullptr;
  const HeldPtr* found = all->second.Find(std::string_view(FoldPath(name)));
  return found == nullptr ? nullptr : &(*found)->rule;
}

std::vector<const Rule*> RuleSet::List(EntityId subscription, std::string_view after,
                                       std::size_t count_max, std::size_t skip) const {
  std::vector<const Rule*> page;
  const auto all = rules_.find(subscription);
  if (all == rules_.end()) return page;
  const std::string folded = FoldPath(after);
  for (const HeldPtr& each : all->second.Page(std::string_view(folded), count_max, skip)) {
    page.push_back(&each->rule);
  }
  return page;
}

std::size_t RuleSet::FindMatches(const MessageView& message, Random& random,
                                 std::vector<Match>& matches) {
  for (const Rule* rule : always_) matches.push_back({rule, Status()});
  found_.clear();
  correlation_.Match(message, found_);
  for (const CorrelationIndex::Id id : found_) matches.push_back({by_id_.at(id), Status()});
  std::size_t like_steps = 0;
  for (const Rule* rule : sql_) {
    if (like_steps > kLikeStepsMax) {
      matches.push_back({rule, Status(ErrorCode::kFilterException,
                                      "the filters before this one compared more text with "
                                      "patterns than they may for one message")});
      continue;
    }
    const Result<Truth> truth = rule->filter->Evaluate(message, random, like_steps);
    if (!truth.ok()) {
      matches.push_back({rule, truth.status()});
    } else if (*truth == Truth::kTrue) {
      matches.push_back({rule, Status()});
    }
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    const auto key = [](const Match& match) {
      return std::tuple(match.rule->subscription, HasAction(match),
                        std::string_view(match.rule->description.name));
    };
    return key(a) < key(b);
  });
  return steps() + like_steps;
}

}  // namespace wharf
