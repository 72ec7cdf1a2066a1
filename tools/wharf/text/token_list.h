// TokenList: lock tokens from the command line, and what became of each.
//
// Used by `wharf settle`, `renew` and all that concerns sessions, on the main thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/wharf/program.h"

namespace wharf::tool {

using Tokens = google::protobuf::RepeatedPtrField<std::string>;
using TokenResults = google::protobuf::RepeatedPtrField<v1::TokenResult>;

struct TokenOptions {
  std::string queue;
  bool is_dead_letter = false;
  Tokens tokens;
  // Of the open transaction that shall do it; empty: none.
  std::string transaction;

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

// QUEUE, --dead-letter.
void AddTokenQueueOptions(CLI::App& command, TokenOptions& options);
// --transaction ID.
void AddTransactionOption(CLI::App& command, std::string& transaction);
// TOKEN...
void AddTokenOption(CLI::App& command, TokenOptions& options);

// Lock tokens that are put into `tokens`.
CLI::Option* AddLockTokensOption(CLI::App& command, const std::string& name, Tokens& tokens,
                                 const std::string& help);
// The token of a session.
CLI::Option* AddSessionTokenOption(CLI::App& command, const std::string& name, std::string& token);

// Calls `request` with as many tokens at a time as one request may hold, and prints the results.
ExitCode ForTokens(Program& program, const TokenOptions& options,
                   const std::function<Result<TokenResults>(Tokens tokens)>& request);

}  // namespace wharf::tool
