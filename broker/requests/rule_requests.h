// What is asked about the rules of subscriptions. `subscription` is the path of one.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/core/entities/rule.h"
#include "broker/core/entities/rule_verdict.h"
#include "broker/core/messages/message.h"

namespace wharf {

struct AddRuleRequest {
  using Response = RuleDescription;
  std::string subscription{};
  RuleDescription rule{};
};

// Says what a rule shall be, from what it is when its turn comes; or why not. Called once, on a
// thread of the broker.
using RuleEdit = absl::AnyInvocable<Result<RuleDescription>(const RuleDescription& current) &&>;

// No message sees the subscription without the rule, or with both.
struct UpdateRuleRequest {
  using Response = RuleDescription;
  std::string subscription{};
  std::string name{};
  RuleEdit edit{};
};

// Says of a rule, as it is when its turn comes, why it is not to be removed. As RuleEdit.
using RuleCheck = absl::AnyInvocable<Status(const RuleDescription& current) &&>;

struct RemoveRuleRequest {
  using Response = std::monostate;
  std::string subscription{};
  std::string name{};
  // Null: in any case.
  RuleCheck check{};
};

struct GetRuleRequest {
  using Response = RuleDescription;
  std::string subscription{};
  std::string name{};
};

struct RulePage {
  std::vector<RuleDescription> rules;
  bool has_more = false;
};
// In the order of their names, behind `after`.
struct ListRulesRequest {
  using Response = RulePage;
  std::string subscription{};
  std::string after{};
  std::size_t count_max = 1;
  // So many of them are passed over.
  std::size_t skip = 0;
};

struct RuleVerdictPage {
  std::vector<RuleVerdict> verdicts;
  bool has_more = false;
};
// Whether rules of a subscription would take a message that is not sent.
struct EvaluateRulesRequest {
  using Response = RuleVerdictPage;
  std::string subscription{};
  // Empty: all, behind the one of the name `after`.
  std::string rule{};
  std::string after{};
  std::size_t count_max = 1;
  Message message{};
};

// The same for a rule that need not exist.
struct EvaluateRuleRequest {
  using Response = RuleVerdict;
  RuleDescription rule{};
  Message message{};
};

}  // namespace wharf
