#include "broker/emulator/difference.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "storage/base/nearest_word.h"

namespace wharf::emulator {
namespace {

using Target = std::optional<std::string> QueueDescription::*;
constexpr Target kTargets[] = {&QueueDescription::forward_to,
                               &QueueDescription::forward_dead_lettered_messages_to};

class Comparison {
 public:
  Comparison(const Wanted& wanted, const Present& present, Findings& findings)
      : wanted_(wanted), present_(present), findings_(findings) {}

  std::vector<Step> Steps() {
    for (const WantedEntity& each : wanted_.entities) {
      names_.push_back(each.description.name);
      paths_.insert(FoldPath(each.description.name));
    }
    for (const WantedEntity& each : wanted_.entities) Compare(each);
    for (auto* later : {&changed_, &rules_}) {
      std::move(later->begin(), later->end(), std::back_inserter(made_));
    }
    return std::move(made_);
  }

 private:
  void Compare(const WantedEntity& wanted) {
    CheckTargets(wanted);
    const PresentEntity* const current = present_.Find(wanted.description.name);
    if (current == nullptr) return Make(wanted);
    if (current->kind != wanted.kind) {
      return findings_.Add(wanted.where,
                           fmt::format("is a {}, and the data folder has a {} of this name",
                                       NameOf(wanted.kind), NameOf(current->kind)));
    }
    Change(wanted, current->description);
    CompareRules(wanted);
  }

  // Nobody can forward to what is neither there nor wanted.
  void CheckTargets(const WantedEntity& wanted) {
    for (const Target target : kTargets) {
      const auto& name = wanted.description.*target;
      if (!name || paths_.contains(FoldPath(*name)) || present_.Find(*name) != nullptr) continue;
      const auto near = Nearest(*name, names_);
      findings_.Add(wanted.where,
                    fmt::format("forwards to {}, which is not there{}", Quoted(*name),
                                near ? fmt::format("; did you mean '{}'?", *near) : ""));
    }
  }

  // Whether it is there when the steps so far are done.
  bool IsThere(const std::string& name) const {
    return made_paths_.contains(FoldPath(name)) || present_.Find(name) != nullptr;
  }

  void Make(const WantedEntity& wanted) {
    CreateEntityRequest request{.kind = wanted.kind, .description = wanted.description};
    bool is_whole = true;
    for (const Target target : kTargets) {
      auto& name = request.description.*target;
      if (!name || IsThere(*name)) continue;
      name.reset();
      is_whole = false;
    }
    if (!wanted.rules.empty()) request.first_rule = wanted.rules.front().rule;
    made_.push_back({wanted.where, std::move(request)});
    made_paths_.insert(FoldPath(wanted.description.name));
    if (!is_whole) Update(wanted);
    for (std::size_t i = 1; i < wanted.rules.size(); ++i) Add(wanted, wanted.rules[i]);
  }

  void Change(const WantedEntity& wanted, const QueueDescription& current) {
    bool is_allowed = true;
    for (const auto& [property, where] : wanted.said) {
      if (!property->is_fixed || property->IsSame(wanted.description, current)) continue;
      is_allowed = false;
      findings_.Add(where,
                    fmt::format("is another one than that of the {} in the data folder, and cannot "
                                "be changed: delete {} there, or give it another name here",
                                NameOf(wanted.kind), Quoted(current.name)));
    }
    if (!is_allowed) return;
    QueueDescription next = wanted.Over(current);
    const Status wrong = CheckDescription(wanted.kind, next);
    if (!wrong.ok()) return findings_.Add(wanted.where, "cannot be so: " + wrong.message());
    if (next != current) Update(wanted);
  }

  // From what it is when its turn comes.
  void Update(const WantedEntity& wanted) {
    UpdateEntityRequest request{.kind = wanted.kind, .name = wanted.description.name};
    auto shared = std::make_shared<const WantedEntity>(wanted);
    request.edit = [shared](const EntityRecord& current) -> Result<QueueDescription> {
      return shared->Over(current.description);
    };
    changed_.push_back({wanted.where, std::move(request)});
  }

  // The rule that a subscription has which was made without one would let through what the others
  // do not.
  void CompareRules(const WantedEntity& wanted) {
    if (wanted.rules.empty()) return;
    const std::string& path = wanted.description.name;
    bool wants_default = false;
    for (const WantedRule& each : wanted.rules) {
      const RuleDescription* const current = present_.FindRule(path, each.rule.name);
      if (current == nullptr) {
        Add(wanted, each);
      } else if (current->filter != each.rule.filter || current->action != each.rule.action) {
        Replace(wanted, each);
      }
      wants_default = wants_default || FoldPath(each.rule.name) == FoldPath(kDefaultRuleName);
    }
    const RuleDescription* const first = present_.FindRule(path, std::string(kDefaultRuleName));
    if (wants_default || first == nullptr) return;
    if (!std::holds_alternative<TrueFilter>(first->filter) || first->action) return;
    rules_.push_back({wanted.where, RemoveRuleRequest{path, first->name}});
  }

  void Add(const WantedEntity& subscription, const WantedRule& wanted) {
    rules_.push_back({wanted.where, AddRuleRequest{subscription.description.name, wanted.rule}});
  }

  void Replace(const WantedEntity& subscription, const WantedRule& wanted) {
    UpdateRuleRequest request{.subscription = subscription.description.name,
                              .name = wanted.rule.name};
    request.edit =
        [rule = wanted.rule](const RuleDescription& current) mutable -> Result<RuleDescription> {
      rule.name = current.name;
      return std::move(rule);
    };
    rules_.push_back({wanted.where, std::move(request)});
  }

  const Wanted& wanted_;
  const Present& present_;
  Findings& findings_;
  // All that are wanted.
  std::vector<std::string> names_;
  std::set<std::string> paths_;
  std::set<std::string> made_paths_;
  std::vector<Step> made_;
  std::vector<Step> changed_;
  std::vector<Step> rules_;
};

}  // namespace

std::vector<Step> DifferenceOf(const Wanted& wanted, const Present& present, Findings& findings) {
  return Comparison(wanted, present, findings).Steps();
}

}  // namespace wharf::emulator
