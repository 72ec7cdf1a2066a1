#include "tools/wharf/receiving/renew_command.h"

#include <memory>

#include "tools/wharf/text/token_list.h"

namespace wharf::tool {
namespace {

ExitCode Renew(Program& program, const TokenOptions& options) {
  return ForTokens(program, options, [&](Tokens tokens) -> Result<TokenResults> {
    v1::RenewLockRequest request;
    request.set_entity_path(options.path());
    request.set_transaction_id(options.transaction);
    *request.mutable_lock_tokens() = std::move(tokens);
    auto response = program.client().RenewLock(request);
    if (!response.ok()) return response.status();
    return std::move(*response->mutable_results());
  });
}

}  // namespace

void AddRenewCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<TokenOptions>();
  CLI::App& command = *app.add_subcommand(
      "renew", "Renew locks: each holds for the queue's lock duration from now");
  AddTokenQueueOptions(command, *options);
  AddTokenOption(command, *options);
  AddTransactionOption(command, options->transaction);
  command.callback([options, &program] {
    program.action = [options, &program] { return Renew(program, *options); };
  });
}

}  // namespace wharf::tool
