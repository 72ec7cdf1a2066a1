#include "tools/wharf/access/access_command.h"

#include <memory>
#include <string>

#include <fmt/core.h>

#include "broker/access/access_rule.h"
#include "broker/access/connection_string.h"
#include "tools/wharf/access/access_note.h"
#include "tools/wharf/terminal/consent.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {
namespace {

constexpr char kHidden[] = "(hidden; --show-key shows it)";

struct AccessOptions {
  std::string entity;
  std::string name;
  bool sends = false;
  bool listens = false;
  bool manages = false;
  bool takes_secondary = false;
  bool takes_primary = false;
  bool shows_key = false;
  bool is_sure = false;

  std::string place() const { return entity.empty() ? "the namespace" : entity; }
};
using AccessOptionsPtr = std::shared_ptr<AccessOptions>;
using RunAccess = ExitCode (*)(Program&, const AccessOptions&);

std::string RightsText(const v1::AccessRule& rule) {
  access::Rights rights;
  for (const int right : rule.rights()) {
    if (right == v1::ACCESS_RIGHT_SEND) rights = rights | access::Right::kSend;
    if (right == v1::ACCESS_RIGHT_LISTEN) rights = rights | access::Right::kListen;
    if (right == v1::ACCESS_RIGHT_MANAGE) rights = rights | access::Right::kManage;
  }
  return access::ToString(rights);
}

Json AccessRuleToJson(const v1::AccessRule& rule) {
  Json json = {{"entity_path", rule.entity_path()},
               {"name", rule.name()},
               {"rights", RightsText(rule)},
               {"created_at", TimeText(rule.created_at(), TimeDigits::kAll)}};
  if (!rule.primary_key().empty()) json["primary_key"] = rule.primary_key();
  if (!rule.secondary_key().empty()) json["secondary_key"] = rule.secondary_key();
  return json;
}

ExitCode PrintAccessRule(Program& program, const Result<v1::AccessRule>& rule) {
  if (!rule.ok()) return program.Fail(rule.status());
  if (program.is_json) {
    program.out.PrintJson(AccessRuleToJson(*rule));
    return ExitCode::kOk;
  }
  const bool is_shown = !rule->primary_key().empty();
  program.out.Print("entity_path: {}\nname: {}\nrights: {}\ncreated_at: {}\n", rule->entity_path(),
                    rule->name(), RightsText(*rule), TimeText(rule->created_at()));
  program.out.Print("primary_key: {}\nsecondary_key: {}\n",
                    is_shown ? rule->primary_key() : kHidden,
                    is_shown ? rule->secondary_key() : kHidden);
  return ExitCode::kOk;
}

ExitCode CreateAccessRule(Program& program, const AccessOptions& options) {
  v1::CreateAccessRuleRequest request;
  request.mutable_rule()->set_entity_path(options.entity);
  request.mutable_rule()->set_name(options.name);
  if (options.sends) request.mutable_rule()->add_rights(v1::ACCESS_RIGHT_SEND);
  if (options.listens) request.mutable_rule()->add_rights(v1::ACCESS_RIGHT_LISTEN);
  if (options.manages) request.mutable_rule()->add_rights(v1::ACCESS_RIGHT_MANAGE);
  if (request.rule().rights().empty()) {
    return program.FailUsage({ErrorCode::kArgumentError,
                              "say what it allows: --send, --listen or --manage, or several"});
  }
  request.set_show_keys(options.shows_key);
  const Result<v1::AccessRule> made = program.client().management().CreateAccessRule(request);
  const ExitCode printed = PrintAccessRule(program, made);
  if (made.ok()) NoteIfAccessIsOff(program);
  return printed;
}

Result<v1::AccessRule> GetAccessRule(Program& program, const AccessOptions& options) {
  v1::GetAccessRuleRequest request;
  request.set_entity_path(options.entity);
  request.set_name(options.name);
  request.set_show_keys(options.shows_key);
  return program.client().management().GetAccessRule(request);
}

ExitCode ShowAccessRule(Program& program, const AccessOptions& options) {
  return PrintAccessRule(program, GetAccessRule(program, options));
}

// Who is connected by it and does not hear the new key may have ended with the old one all that
// could be done here.
bool LocksOneselfOut(const Program& program, const AccessOptions& options) {
  const std::string own = OwnRuleOf(program);
  return !options.shows_key && options.entity.empty() && !own.empty() &&
         access::FoldRuleName(own) == access::FoldRuleName(options.name);
}

ExitCode RotateAccessKey(Program& program, const AccessOptions& options) {
  if (LocksOneselfOut(program, options)) {
    return program.FailUsage(
        {ErrorCode::kArgumentError,
         fmt::format("you are connected by a rule called {}, and would not see the key that it "
                     "gets: say --show-key, and keep what is printed",
                     options.name)});
  }
  v1::RotateAccessKeyRequest request;
  request.set_entity_path(options.entity);
  request.set_name(options.name);
  request.set_slot(options.takes_secondary ? v1::ACCESS_KEY_SLOT_SECONDARY
                                           : v1::ACCESS_KEY_SLOT_PRIMARY);
  request.set_show_keys(options.shows_key);
  return PrintAccessRule(program, program.client().management().RotateAccessKey(request));
}

ExitCode RemoveAccessRule(Program& program, const AccessOptions& options) {
  v1::RemoveAccessRuleRequest request;
  request.set_entity_path(options.entity);
  request.set_name(options.name);
  const Status removed = program.client().management().RemoveAccessRule(request);
  if (!removed.ok()) return program.Fail(removed);
  if (program.is_json) {
    program.out.PrintJson({{"removed", options.name}});
  } else {
    program.out.Print("removed {}\n", options.name);
  }
  return ExitCode::kOk;
}

// Whatever rests on it ends.
ExitCode AskAndRemoveAccessRule(Program& program, const AccessOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto rule = GetAccessRule(program, options);
    if (!rule.ok()) return rule.status();
    return fmt::format("remove the access rule {} of {}, which may {}?", options.name,
                       options.place(), RightsText(*rule));
  };
  return WithConsent(program, options.is_sure, question,
                     [&] { return RemoveAccessRule(program, options); });
}

void PrintAccessTable(Output& out, const v1::ListAccessRulesResponse& all) {
  Table table({{"NAME", Column::Kind::kText}, {"RIGHTS"}, {"CREATED", Column::Kind::kWord, true}},
              out);
  for (const v1::AccessRule& rule : all.rules()) {
    table.Add({rule.name(), RightsText(rule), TimeText(rule.created_at())});
  }
  table.End();
}

ExitCode ListAccessRules(Program& program, const AccessOptions& options) {
  v1::ListAccessRulesRequest request;
  request.set_entity_path(options.entity);
  const auto all = program.client().management().ListAccessRules(request);
  if (!all.ok()) return program.Fail(all.status());
  if (program.is_json) {
    Json rules = Json::array();
    for (const v1::AccessRule& rule : all->rules()) rules.push_back(AccessRuleToJson(rule));
    program.out.PrintJson({{"rules", std::move(rules)}});
  } else {
    PrintAccessTable(program.out, *all);
  }
  return ExitCode::kOk;
}

ExitCode PrintConnectionString(Program& program, const AccessOptions& options) {
  const auto rule = GetAccessRule(program, options);
  if (!rule.ok()) return program.Fail(rule.status());
  access::ConnectionString connection{.endpoint = fmt::format("sb://{}/", program.target().address),
                                      .key_name = rule->name(),
                                      .entity_path = rule->entity_path()};
  connection.key = kHidden;
  if (options.shows_key) {
    connection.key = options.takes_secondary ? rule->secondary_key() : rule->primary_key();
  }
  if (program.is_json) {
    program.out.PrintJson({{"connection_string", access::ToString(connection)}});
  } else {
    program.out.Print("{}\n", access::ToString(connection));
  }
  return ExitCode::kOk;
}

void AddEntityOption(CLI::App& command, const AccessOptionsPtr& options) {
  command
      .add_option("--entity", options->entity,
                  "The queue or topic that it belongs to; without it, the namespace")
      ->type_name("PATH");
}

void AddShowKeyFlag(CLI::App& command, const AccessOptionsPtr& options, const std::string& help) {
  command.add_flag("--show-key", options->shows_key, help);
}

CLI::App& AddAccessVerb(CLI::App& noun, Program& program, const std::string& verb,
                        const std::string& help, const AccessOptionsPtr& options, RunAccess run) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddEntityOption(command, options);
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

CLI::App& AddNamedAccessVerb(CLI::App& noun, Program& program, const std::string& verb,
                             const std::string& help, const AccessOptionsPtr& options,
                             RunAccess run) {
  CLI::App& command = AddAccessVerb(noun, program, verb, help, options, run);
  command.add_option("NAME", options->name, "The rule's name")->required();
  return command;
}

void AddCreate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<AccessOptions>();
  CLI::App& command = AddNamedAccessVerb(
      noun, program, "create",
      "Make a rule with two new keys; while access is off it counts from the next start on",
      options, CreateAccessRule);
  command.add_flag("--send", options->sends, "Who has a key may send");
  command.add_flag("--listen", options->listens, "Who has a key may receive, settle and peek");
  command.add_flag("--manage", options->manages, "Who has a key may do everything");
  AddShowKeyFlag(command, options, "Print its keys; they are secrets");
}

void AddRotate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<AccessOptions>();
  CLI::App& command = AddNamedAccessVerb(
      noun, program, "rotate",
      "Draw a new key in the place of one; what the old one proved ends within a second, what the "
      "other one proved goes on",
      options, RotateAccessKey);
  CLI::Option* primary =
      command.add_flag("--primary", options->takes_primary, "The primary key; that is the default");
  command.add_flag("--secondary", options->takes_secondary, "The secondary key")->excludes(primary);
  AddShowKeyFlag(command, options, "Print both keys; they are secrets");
}

}  // namespace

void AddAccessCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "access", "Make, show, list and remove access rules, who may do what; roll their keys");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddCreate(noun, program);
  AddAccessVerb(noun, program, "list", "List the rules of the namespace, a queue or a topic",
                std::make_shared<AccessOptions>(), ListAccessRules);
  const auto shown = std::make_shared<AccessOptions>();
  AddShowKeyFlag(AddNamedAccessVerb(noun, program, "show", "Show a rule", shown, ShowAccessRule),
                 shown, "Print its keys, too; they are secrets");
  AddRotate(noun, program);
  const auto removal = std::make_shared<AccessOptions>();
  AddYesOption(AddNamedAccessVerb(noun, program, "remove",
                                  "Remove a rule; what rests on it ends within a second", removal,
                                  AskAndRemoveAccessRule),
               removal->is_sure);
}

void AddConnectionStringCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<AccessOptions>();
  options->name = access::kRootRuleName;
  CLI::App& command = *app.add_subcommand(
      "connection-string", "Print what a client needs to know to connect with a rule");
  command.add_option("NAME", options->name, "The rule's name")->capture_default_str();
  AddEntityOption(command, options);
  command.add_flag("--secondary", options->takes_secondary, "With the secondary key");
  AddShowKeyFlag(command, options, "With the key itself, which is a secret");
  command.callback([options, &program] {
    program.action = [options, &program] { return PrintConnectionString(program, *options); };
  });
}

}  // namespace wharf::tool
