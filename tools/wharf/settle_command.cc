#include "tools/wharf/settle_command.h"

#include <map>
#include <memory>

#include "tools/wharf/message_options.h"
#include "tools/wharf/settlement_verb.h"
#include "tools/wharf/token_list.h"

namespace wharf::tool {
namespace {

struct SettleOptions {
  TokenOptions target;
  Verb verb = Verb::kComplete;
  VerbDetails details;
};

const std::map<std::string, Verb>& Verbs() {
  static const std::map<std::string, Verb> kVerbs = {{"complete", Verb::kComplete},
                                                     {"abandon", Verb::kAbandon},
                                                     {"dead-letter", Verb::kDeadLetter},
                                                     {"release", Verb::kRelease}};
  return kVerbs;
}

void CheckDetails(const SettleOptions& options) {
  const VerbDetails& details = options.details;
  if (options.verb != Verb::kDeadLetter &&
      !(details.reason.empty() && details.description.empty())) {
    throw CLI::ValidationError("--reason and --description belong to dead-letter only");
  }
  const bool modifies = options.verb == Verb::kAbandon || options.verb == Verb::kDeadLetter;
  if (!modifies && !details.properties_to_modify.empty()) {
    throw CLI::ValidationError("--property belongs to abandon and dead-letter only");
  }
}

ExitCode Settle(Program& program, const SettleOptions& options) {
  return ForTokens(program, options.target, [&](Tokens tokens) -> Result<TokenResults> {
    v1::SettleRequest request;
    request.set_entity_path(options.target.path());
    *request.mutable_settlement() = MakeSettlement(options.verb, options.details);
    *request.mutable_settlement()->mutable_lock_tokens() = std::move(tokens);
    auto response = program.client().Settle(request);
    if (!response.ok()) return response.status();
    return std::move(*response->mutable_results());
  });
}

}  // namespace

void AddSettleCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<SettleOptions>();
  CLI::App& command = *app.add_subcommand("settle", "Settle locked messages by their lock tokens");
  AddTokenQueueOptions(command, options->target);
  command
      .add_option_function<std::string>(
          "VERB", [options](const std::string& name) { options->verb = Verbs().at(name); },
          "complete: done, remove it. abandon: give it back, counted as a failed delivery. "
          "dead-letter: to the dead-letter queue. release: give it back, not counted")
      ->required()
      ->check(CLI::IsMember(Verbs()));
  AddTokenOption(command, options->target);
  command.add_option("--reason", options->details.reason,
                     "With dead-letter: the reason, at most 4096 characters");
  command.add_option("--description", options->details.description,
                     "With dead-letter: the description, at most 4096 characters");
  AddPropertyOption(command,
                    "With abandon and dead-letter: an application property to set; repeatable",
                    options->details.properties_to_modify);
  command.callback([options, &program] {
    CheckDetails(*options);
    program.action = [options, &program] { return Settle(program, *options); };
  });
}

}  // namespace wharf::tool
