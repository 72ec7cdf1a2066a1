#include "tools/wharf/entities/rule_test_command.h"

#include <memory>

#include "tools/wharf/entities/rule_options.h"
#include "tools/wharf/entities/rule_text.h"
#include "tools/wharf/messages/message_options.h"

namespace wharf::tool {
namespace {

struct TestOptions {
  // Whose rules; without a topic the one that is given.
  client::SubscriptionId subscription;
  std::string rule;
  GivenRule given;
  v1::Message message;
};

ExitCode Print(Program& program, const v1::EvaluateRuleResponse& all) {
  if (program.is_json) {
    Json verdicts = Json::array();
    for (const v1::RuleVerdict& verdict : all.verdicts()) verdicts.push_back(ToJson(verdict));
    program.out.PrintJson({{"verdicts", std::move(verdicts)}});
  } else {
    for (const v1::RuleVerdict& verdict : all.verdicts()) PrintVerdict(program.out, verdict);
  }
  return ExitCode::kOk;
}

ExitCode Test(Program& program, const TestOptions& options) {
  v1::EvaluateRuleRequest request;
  *request.mutable_message() = options.message;
  if (options.subscription.topic.empty()) {
    *request.mutable_rule() = RuleOf(options.given);
    request.mutable_rule()->set_name("rule");
  } else {
    request.mutable_subscription_rules()->set_entity_path(options.subscription.path());
    request.mutable_subscription_rules()->set_rule(options.rule);
  }
  v1::EvaluateRuleResponse all;
  do {
    const auto page = program.client().topics().EvaluateRule(request);
    if (!page.ok()) return program.Fail(page.status());
    all.MergeFrom(*page);
    all.set_next_page_token(page->next_page_token());
    if (request.has_subscription_rules()) {
      request.mutable_subscription_rules()->set_page_token(page->next_page_token());
    }
  } while (!all.next_page_token().empty());
  return Print(program, all);
}

void CheckOptions(const TestOptions& options) {
  const bool has_rule = options.given.has_filter() || options.given.action;
  if (options.subscription.topic.empty()) {
    if (!has_rule) throw CLI::ValidationError("give TOPIC and SUBSCRIPTION, or a filter");
  } else if (options.subscription.name.empty()) {
    throw CLI::ValidationError("give the SUBSCRIPTION, too");
  } else if (has_rule) {
    throw CLI::ValidationError(
        "a filter or action and the rules of a subscription exclude each other");
  }
}

void AddTextOption(CLI::App& command, const std::string& name, const std::string& help,
                   const std::function<void(const std::string&)>& set) {
  command.add_option_function<std::string>(name, set, help);
}

}  // namespace

void AddRuleTestCommand(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<TestOptions>();
  CLI::App& command = *noun.add_subcommand(
      "test",
      "Would this message match, and why? Tries the rules of a subscription, or one that is given, "
      "on a message that is not sent");
  AddTextOption(command, "TOPIC", "The topic's path",
                [options](const std::string& text) { options->subscription.topic = text; });
  AddTextOption(command, "SUBSCRIPTION", "The subscription's name",
                [options](const std::string& text) { options->subscription.name = text; });
  AddTextOption(command, "--rule", "Only the rule of this name",
                [options](const std::string& text) { options->rule = text; });
  AddRuleOptions(command, options->given);
  AddMessageOptions(command, options->message);
  command.callback([options, &program] {
    CheckOptions(*options);
    program.action = [options, &program] { return Test(program, *options); };
  });
}

}  // namespace wharf::tool
