#include "broker/access/book.h"

#include <algorithm>
#include <utility>

#include "broker/access/ascii_text.h"

namespace wharf::access {
namespace {

auto FindIn(auto& rules, std::string_view name) {
  return std::find_if(rules.begin(), rules.end(), [name](const AccessRule& rule) {
    return EqualsInAnyCase(rule.name(), name);
  });
}

bool IsBefore(const AccessRule& one, const AccessRule& other) {
  return FoldRuleName(one.name()) < FoldRuleName(other.name());
}

}  // namespace

const Book::RuleList& Book::RulesOf(std::string_view resource) const {
  static const RuleList kNone;
  const Rules* rules = rules_.Find(resource);
  return rules == nullptr ? kNone : **rules;
}

const AccessRule* Book::Find(std::string_view resource, std::string_view name) const {
  const RuleList& rules = RulesOf(resource);
  const auto found = FindIn(rules, name);
  return found == rules.end() ? nullptr : &*found;
}

Book Book::Replacing(const std::string& resource, RuleList rules) const {
  Book book;
  book.size_ = size_ - RulesOf(resource).size() + rules.size();
  book.rules_ = rules.empty()
                    ? rules_.Without(resource)
                    : rules_.With(resource, std::make_shared<const RuleList>(std::move(rules)));
  return book;
}

Book Book::With(const std::string& resource, AccessRule rule) const {
  RuleList rules = RulesOf(resource);
  const auto found = FindIn(rules, rule.name());
  if (found != rules.end()) rules.erase(found);
  rules.insert(std::upper_bound(rules.begin(), rules.end(), rule, IsBefore), std::move(rule));
  return Replacing(resource, std::move(rules));
}

Book Book::Without(std::string_view resource, std::string_view name) const {
  RuleList rules = RulesOf(resource);
  const auto found = FindIn(rules, name);
  if (found == rules.end()) return *this;
  rules.erase(found);
  return Replacing(std::string(resource), std::move(rules));
}

Book Book::WithoutAll(std::string_view resource) const {
  return Replacing(std::string(resource), {});
}

const AccessRule* Book::RuleBehind(const Permit& permit) const {
  const AccessRule* rule = Find(permit.path, permit.rule);
  if (rule == nullptr) return nullptr;
  const bool holds = permit.key ? rule->HasKey(*permit.key) : !permit.client.empty();
  return holds ? rule : nullptr;
}

}  // namespace wharf::access
