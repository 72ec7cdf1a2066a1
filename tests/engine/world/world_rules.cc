#include "tests/engine/world/world_rules.h"

#include <string>

namespace wharf {
namespace {

Verdict TakesIf(bool takes) { return takes ? Verdict::kTakes : Verdict::kLeaves; }

std::optional<std::string> ColorOf(const ModelMessage& message) {
  const auto found = message.properties.find("color");
  if (found == message.properties.end()) return std::nullopt;
  return found->second;
}

Verdict Takes(const ModelMessage&) { return Verdict::kTakes; }
Verdict Leaves(const ModelMessage&) { return Verdict::kLeaves; }
Verdict Fails(const ModelMessage&) { return Verdict::kFails; }
Verdict IsRed(const ModelMessage& message) { return TakesIf(ColorOf(message) == "red"); }
// Of what is not known, neither is its opposite (SQL-17).
Verdict IsOther(const ModelMessage& message) {
  return TakesIf(ColorOf(message) && *ColorOf(message) != "red");
}
Verdict IsColorless(const ModelMessage& message) { return TakesIf(!ColorOf(message)); }
Verdict IsFirst(const ModelMessage& message) { return TakesIf(message.message_id == "id1"); }
Verdict IsBlueOrNamed(const ModelMessage& message) {
  return TakesIf(ColorOf(message) == "blue" || message.message_id.value_or("").starts_with("id"));
}

void Paint(ModelMessage& copy) { copy.properties["color"] = "green"; }
void Rename(ModelMessage& copy) {
  copy.message_id = "renamed";
  copy.properties.erase("color");
}

CorrelationFilter Colored(const std::string& color) {
  return {.application_properties = {{"color", color}}};
}
CorrelationFilter WithId(const std::string& id) { return {.message_id = id}; }

RuleDescription Told(std::string name, RuleFilter filter, std::string action = "") {
  RuleDescription rule{.name = std::move(name), .filter = std::move(filter)};
  if (!action.empty()) rule.action = SqlText{std::move(action)};
  return rule;
}

}  // namespace

const std::vector<ModelRule>& ModelRules() {
  static const std::vector<ModelRule> kRules = {
      {Told(std::string(kDefaultRuleName), TrueFilter()), Takes},
      {Told("broken", SqlText{"property('sys.nothing') = 1"}), Fails},
      {Told("colorless", SqlText{"color IS NULL"}), IsColorless},
      {Told("first", WithId("id1")), IsFirst},
      {Told("named", SqlText{"color = 'blue' OR sys.MessageId LIKE 'id%'"}), IsBlueOrNamed},
      {Told("nothing", FalseFilter()), Leaves},
      {Told("other", SqlText{"NOT (color = 'red')"}), IsOther},
      {Told("red", Colored("red")), IsRed},
      {Told("paint", TrueFilter(), "SET color = 'green'"), Takes, Paint},
      {Told("rename", Colored("red"), "SET sys.MessageId = 'renamed'; REMOVE color"), IsRed,
       Rename},
  };
  return kRules;
}

}  // namespace wharf
