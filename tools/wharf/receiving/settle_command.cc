#include "tools/wharf/receiving/settle_command.h"

#include <memory>
#include <optional>

#include "tools/wharf/messages/message_options.h"
#include "tools/wharf/receiving/settlement_verb.h"
#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/token_list.h"

namespace wharf::tool {
namespace {

struct SettleOptions {
  TokenOptions target;
  Verb verb = Verb::kComplete;
  VerbDetails details;
  std::optional<Moment> until;
};

ExitCode Settle(Program& program, SettleOptions& options) {
  const Status resolved = ResolveRest(program, options.until, options.details);
  if (!resolved.ok()) return program.Fail(resolved);
  return ForTokens(program, options.target, [&](Tokens tokens) -> Result<TokenResults> {
    v1::SettleRequest request;
    request.set_entity_path(options.target.path());
    request.set_transaction_id(options.target.transaction);
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
  AddChoiceOption(command, "VERB", VerbsByName(), options->verb,
                  "complete: done, remove it. abandon: give it back, counted as a failed delivery. "
                  "defer: set it aside, for receive --deferred. dead-letter: to the dead-letter "
                  "queue. release: give it back, not counted")
      ->required();
  AddTokenOption(command, options->target);
  AddTransactionOption(command, options->target.transaction);
  AddReasonOptions(command, "With dead-letter: ", options->details);
  AddRestOptions(command, "With abandon: ", options->details, options->until);
  AddPropertyOption(
      command, "With abandon, defer and dead-letter: an application property to set; repeatable",
      options->details.properties_to_modify);
  command.callback([options, &program] {
    CheckDetails(options->verb, options->details, options->until);
    program.action = [options, &program] { return Settle(program, *options); };
  });
}

}  // namespace wharf::tool
