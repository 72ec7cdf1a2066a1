#include "broker/doors/http/atom/rule_operations.h"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "broker/doors/http/atom/condition.h"
#include "broker/doors/http/atom/entity_xml.h"
#include "broker/doors/http/atom/rule_xml.h"

namespace wharf::atom {
namespace {

constexpr std::string_view kRuleElement = "RuleDescription";

void AnswerRule(AtomCall& call, unsigned status, const RuleDescription& rule) {
  call.Entry(status, RuleEntry(call.place().entity, rule, call.site()), EtagOf(rule));
}

Result<RuleDescription> ReadRule(const AtomCall& call) {
  const Result<XmlElement> element = ContentOf(call.body());
  if (!element.ok()) return element.status();
  if (element->name.name != kRuleElement) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("at this path is no {:.64}", element->name.name));
  }
  Result<RuleDescription> rule = RuleFromXml(*element);
  if (rule.ok()) rule->name = call.place().rule;
  return rule;
}

void Update(const AtomCallPtr& call, RuleDescription rule, const std::string& if_match) {
  auto condition = std::make_shared<Condition>(if_match);
  UpdateRuleRequest request{.subscription = call->place().entity, .name = call->place().rule};
  request.edit = [condition, rule = std::move(rule)](
                     const RuleDescription& current) mutable -> Result<RuleDescription> {
    if (!condition->is_of_any()) WHARF_RETURN_IF_ERROR(condition->Check(EtagOf(current)));
    return std::move(rule);
  };
  call->AskIf(condition, std::move(request), [](AtomCall& self, const RuleDescription& changed) {
    AnswerRule(self, 200, changed);
  });
}

}  // namespace

void GetRule(const AtomCallPtr& call) {
  call->Ask(GetRuleRequest{call->place().entity, call->place().rule},
            [](AtomCall& self, const RuleDescription& rule) { AnswerRule(self, 200, rule); });
}

void PutRule(const AtomCallPtr& call) {
  Result<RuleDescription> rule = ReadRule(*call);
  if (!rule.ok()) return call->Fail(rule.status());
  const std::string* const if_match = call->Find("If-Match");
  if (if_match != nullptr) return Update(call, *std::move(rule), *if_match);
  call->Ask(AddRuleRequest{call->place().entity, *std::move(rule)},
            [](AtomCall& self, const RuleDescription& made) { AnswerRule(self, 201, made); });
}

void DeleteRule(const AtomCallPtr& call) {
  const std::string* const if_match = call->Find("If-Match");
  auto condition = std::make_shared<Condition>(if_match == nullptr ? "*" : *if_match);
  RemoveRuleRequest request{call->place().entity, call->place().rule};
  if (!condition->is_of_any()) {
    request.check = [condition](const RuleDescription& current) {
      return condition->Check(EtagOf(current));
    };
  }
  call->AskIf(condition, std::move(request), [](AtomCall& self, std::monostate) { self.Done(); });
}

void ListRules(const AtomCallPtr& call) {
  const Result<PagePlace> page = call->Page();
  if (!page.ok()) return call->Fail(page.status());
  ListRulesRequest request{
      .subscription = call->place().entity, .count_max = page->top, .skip = page->skip};
  call->Ask(std::move(request), [page = *page](AtomCall& self, const RulePage& found) {
    self.Feed(RuleFeed(page, self.place().entity, found, self.site()));
  });
}

}  // namespace wharf::atom
