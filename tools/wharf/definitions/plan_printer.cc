#include "tools/wharf/definitions/plan_printer.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "tools/wharf/definitions/rule_reader.h"
#include "tools/wharf/entities/rule_text.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

std::string_view NameOf(Change::Verb verb) {
  switch (verb) {
    case Change::Verb::kCreate:
      return "create";
    case Change::Verb::kUpdate:
      return "update";
    case Change::Verb::kReplace:
      return "replace";
    case Change::Verb::kDelete:
      return "delete";
  }
  return "change";
}

// "queue orders", "access rule reader of the namespace".
std::string SubjectOf(DefinitionKind kind, const std::string& path, const std::string& name) {
  if (name.empty()) return fmt::format("{} {}", NameOf(kind), path);
  return fmt::format("{} {} of {}", NameOf(kind), name, path.empty() ? "the namespace" : path);
}

// What is not told by the verb and the name.
std::string DetailOf(const Change& change) {
  if (change.verb == Change::Verb::kDelete && !change.lost.is_empty()) {
    return fmt::format(", with {}", TextOf(change.lost));
  }
  if (change.verb != Change::Verb::kCreate) return {};
  if (const auto* subscription = std::get_if<SubscriptionDefinition>(&change.wanted)) {
    if (subscription->rules.empty()) return ", without a rule";
    const v1::Rule& rule = subscription->rules.front();
    return fmt::format(", with the rule {}: {}", rule.name(), Printable(FilterText(rule)));
  }
  if (const auto* rule = std::get_if<v1::Rule>(&change.wanted)) {
    return fmt::format(": {}", Printable(FilterText(*rule)));
  }
  if (change.kind == DefinitionKind::kAccessRule) return ", with new keys";
  return {};
}

void PrintChange(Output& out, const Change& change) {
  out.Print("{}{}\n", TextOf(change), DetailOf(change));
  std::size_t width = 0;
  for (const PropertyChange& each : change.properties) width = std::max(width, each.name.size());
  for (const PropertyChange& each : change.properties) {
    out.Print("  {:<{}}  {} -> {}\n", each.name, width, Printable(each.from_text),
              Printable(each.to_text));
  }
}

std::size_t CountOf(const Plan& plan, Change::Verb verb) {
  return static_cast<std::size_t>(
      std::count_if(plan.changes.begin(), plan.changes.end(),
                    [verb](const Change& each) { return each.verb == verb; }));
}

void PrintText(Output& out, const Plan& plan) {
  for (const Change& change : plan.changes) PrintChange(out, change);
  for (const Leftover& each : plan.leftovers) {
    out.Print("leave {}, which is not in the file\n", SubjectOf(each.kind, each.path, each.name));
  }
  for (const Obstacle& each : plan.obstacles) out.Print("cannot: {}\n", Printable(each.why));
  out.Print("plan: {} to create, {} to update, {} to delete; {} are as they should be\n",
            CountOf(plan, Change::Verb::kCreate),
            CountOf(plan, Change::Verb::kUpdate) + CountOf(plan, Change::Verb::kReplace),
            CountOf(plan, Change::Verb::kDelete), plan.unchanged);
}

Json SubjectToJson(DefinitionKind kind, const std::string& path, const std::string& name) {
  Json json = {{"kind", NameOf(kind)}, {"path", path}};
  if (!name.empty()) json["name"] = name;
  return json;
}

Json ToJson(const Change& change) {
  Json json = {{"change", NameOf(change.verb)}};
  json.update(SubjectToJson(change.kind, change.path, change.name));
  const auto* subscription = std::get_if<SubscriptionDefinition>(&change.wanted);
  if (change.verb == Change::Verb::kCreate && subscription != nullptr) {
    json["rule"] =
        subscription->rules.empty() ? Json(nullptr) : WriteRule(subscription->rules.front());
  }
  if (const auto* rule = std::get_if<v1::Rule>(&change.wanted)) json["rule"] = WriteRule(*rule);
  if (change.verb == Change::Verb::kDelete) json["messages"] = change.lost.messages;
  if (change.lost.bytes > 0) json["bytes"] = change.lost.bytes;
  if (change.properties.empty()) return json;
  Json properties = Json::array();
  for (const PropertyChange& each : change.properties) {
    properties.push_back({{"name", each.name}, {"from", each.from}, {"to", each.to}});
  }
  json["properties"] = std::move(properties);
  return json;
}

}  // namespace

std::string TextOf(const Change& change) {
  return fmt::format("{} {}", NameOf(change.verb),
                     SubjectOf(change.kind, change.path, change.name));
}

Json PlanToJson(const Plan& plan) {
  Json changes = Json::array();
  for (const Change& each : plan.changes) changes.push_back(ToJson(each));
  Json leftovers = Json::array();
  for (const Leftover& each : plan.leftovers) {
    leftovers.push_back(SubjectToJson(each.kind, each.path, each.name));
  }
  Json obstacles = Json::array();
  for (const Obstacle& each : plan.obstacles) {
    obstacles.push_back({{"path", each.path}, {"why", each.why}});
  }
  return {{"changes", std::move(changes)},
          {"leftovers", std::move(leftovers)},
          {"obstacles", std::move(obstacles)},
          {"unchanged", plan.unchanged}};
}

void PrintPlan(Program& program, const Plan& plan) {
  if (program.is_json) {
    program.out.PrintJson(PlanToJson(plan));
  } else {
    PrintText(program.out, plan);
  }
  // Before somebody is asked, and before anything is done.
  program.out.Flush();
}

}  // namespace wharf::tool
