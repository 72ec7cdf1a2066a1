// TokenList: lock tokens from the command line, and what became of each.
//
// Used by `wharf settle` and `wharf renew`, on the main thread.
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

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

// QUEUE, --dead-letter.
void AddTokenQueueOptions(CLI::App& command, TokenOptions& options);
// TOKEN...
void AddTokenOption(CLI::App& command, TokenOptions& options);

// Calls `request` with as many tokens at a time as one request may hold, and prints the results.
ExitCode ForTokens(const Program& program, const TokenOptions& options,
                   const std::function<Result<TokenResults>(Tokens tokens)>& request);

}  // namespace wharf::tool
