#include "tools/wharf/entities/rule_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/entities/entity_printer.h"
#include "tools/wharf/entities/rule_options.h"
#include "tools/wharf/entities/rule_test_command.h"
#include "tools/wharf/entities/rule_text.h"
#include "tools/wharf/terminal/consent.h"
#include "tools/wharf/terminal/table.h"

namespace wharf::tool {
namespace {

struct RuleOptions {
  client::SubscriptionId subscription;
  std::string name;
  GivenRule given;
  bool is_sure = false;
  bool accepts_existing = false;
};

ExitCode Print(Program& program, const Result<v1::Rule>& rule) {
  if (!rule.ok()) return program.Fail(rule.status());
  if (program.is_json) {
    program.out.PrintJson(ToJson(*rule));
  } else {
    PrintRule(program.out, *rule);
  }
  return ExitCode::kOk;
}

ExitCode Add(Program& program, const RuleOptions& options) {
  v1::Rule rule = RuleOf(options.given);
  rule.set_name(options.name);
  client::Topics& topics = program.client().topics();
  const Result<v1::Rule> added = topics.AddRule(options.subscription, rule);
  if (added.ok() || !options.accepts_existing || !IsInTheWay(added.status())) {
    return Print(program, added);
  }
  if (!program.is_json) {
    program.err.Print("the rule '{}' exists already; it stays as it is\n", options.name);
  }
  return Print(program, topics.GetRule(options.subscription, options.name));
}

// All of it: an action that is not given is none from now on.
ExitCode Update(Program& program, const RuleOptions& options) {
  if (!options.given.has_filter()) {
    return program.FailUsage({ErrorCode::kArgumentError,
                              "say what the rule shall take: --filter, --correlation, --true or "
                              "--false"});
  }
  v1::Rule rule = RuleOf(options.given);
  rule.set_name(options.name);
  return Print(program, program.client().topics().UpdateRule(options.subscription, rule));
}

ExitCode Show(Program& program, const RuleOptions& options) {
  return Print(program, program.client().topics().GetRule(options.subscription, options.name));
}

ExitCode Remove(Program& program, const RuleOptions& options) {
  const Status removed = program.client().topics().RemoveRule(options.subscription, options.name);
  if (!removed.ok()) return program.Fail(removed);
  if (program.is_json) {
    program.out.PrintJson({{"removed", options.name}});
  } else {
    program.out.Print("removed {}\n", options.name);
  }
  return ExitCode::kOk;
}

void PrintTable(Output& out, const v1::ListRulesResponse& all) {
  Table table({{"NAME", Column::Kind::kText}, {"FILTER", Column::Kind::kText}}, out);
  for (const v1::Rule& rule : all.rules()) {
    const std::string action = rule.has_action() ? "  => " + rule.action().text() : "";
    table.Add({rule.name(), FilterText(rule) + action});
  }
  table.End();
}

ExitCode List(Program& program, const RuleOptions& options) {
  const auto all = AllPages<v1::ListRulesResponse>([&](const std::string& token) {
    return program.client().topics().ListRules(options.subscription, token);
  });
  if (!all.ok()) return program.Fail(all.status());
  if (program.is_json) {
    Json rules = Json::array();
    for (const v1::Rule& rule : all->rules()) rules.push_back(ToJson(rule));
    program.out.PrintJson({{"rules", std::move(rules)}});
  } else {
    PrintTable(program.out, *all);
  }
  return ExitCode::kOk;
}

// Nobody has the text of a rule once it is gone.
ExitCode AskAndRemove(Program& program, const RuleOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto rule = program.client().topics().GetRule(options.subscription, options.name);
    if (!rule.ok()) return rule.status();
    return fmt::format("remove the rule {} of {}?", options.name, options.subscription.path());
  };
  return WithConsent(program, options.is_sure, question, [&] { return Remove(program, options); });
}

CLI::App& AddRuleVerb(CLI::App& noun, Program& program, const std::string& verb,
                      const std::string& help, const std::shared_ptr<RuleOptions>& options,
                      ExitCode (*run)(Program&, const RuleOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("TOPIC", options->subscription.topic, "The topic's path")->required();
  command.add_option("SUBSCRIPTION", options->subscription.name, "The subscription's name")
      ->required();
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

CLI::App& AddNamedRuleVerb(CLI::App& noun, Program& program, const std::string& verb,
                           const std::string& help, const std::shared_ptr<RuleOptions>& options,
                           ExitCode (*run)(Program&, const RuleOptions&)) {
  CLI::App& command = AddRuleVerb(noun, program, verb, help, options, run);
  command.add_option("NAME", options->name, "The rule's name")->required();
  return command;
}

}  // namespace

void AddRuleCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("rule",
                                       "Add, update, remove, show, list and try the rules of a "
                                       "subscription: which messages it gets");
  noun.require_subcommand(1);
  noun.fallthrough();
  const auto add = std::make_shared<RuleOptions>();
  CLI::App& add_command =
      AddNamedRuleVerb(noun, program, "add",
                       "Add a rule; as long as $Default is there, everything matches", add, Add);
  AddIfNotExistsFlag(add_command, add->accepts_existing);
  AddRuleOptions(add_command, add->given);
  const auto update = std::make_shared<RuleOptions>();
  AddRuleOptions(AddNamedRuleVerb(noun, program, "update",
                                  "Put another filter and action in the place of those of a rule, "
                                  "in one step",
                                  update, Update),
                 update->given);
  const auto removal = std::make_shared<RuleOptions>();
  AddYesOption(AddNamedRuleVerb(noun, program, "remove", "Remove a rule", removal, AskAndRemove),
               removal->is_sure);
  AddNamedRuleVerb(noun, program, "show", "Show a rule", std::make_shared<RuleOptions>(), Show);
  AddRuleVerb(noun, program, "list",
              "List the rules of a subscription, in the order of their names",
              std::make_shared<RuleOptions>(), List);
  AddRuleTestCommand(noun, program);
}

}  // namespace wharf::tool
