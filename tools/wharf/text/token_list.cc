#include "tools/wharf/text/token_list.h"

#include <algorithm>

#include <fmt/core.h>

#include "google/rpc/error_details.pb.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

constexpr int kTokensPerRequestMax = 4500;

Json ToJson(const v1::TokenResult& result) {
  Json json = {{"lock_token", FormatLockToken(result.lock_token())}};
  if (result.has_error()) {
    const Status status = client::ToStatus(result.error());
    json["error"] = ReasonOf(status.code());
    json["message"] = status.message();
  } else if (result.has_locked_until()) {
    json["locked_until"] = TimeText(result.locked_until(), TimeDigits::kAll);
  }
  return json;
}

void Print(Program& program, const v1::TokenResult& result) {
  const std::string token = FormatLockToken(result.lock_token());
  if (result.has_error()) {
    program.err.Print("wharf: {}: {}\n", token,
                      Printable(client::ToStatus(result.error()).ToString()));
  } else if (result.has_locked_until()) {
    program.out.Print("{}  locked until {}\n", token, TimeText(result.locked_until()));
  } else {
    program.out.Print("{}  done\n", token);
  }
}

ExitCode Report(Program& program, const TokenResults& results) {
  const auto is_bad = [](const v1::TokenResult& result) { return result.has_error(); };
  Json json = Json::array();
  for (const v1::TokenResult& result : results) {
    if (program.is_json) {
      json.push_back(ToJson(result));
    } else {
      Print(program, result);
    }
  }
  if (program.is_json) program.out.PrintJson({{"results", std::move(json)}});
  return std::any_of(results.begin(), results.end(), is_bad) ? ExitCode::kFailed : ExitCode::kOk;
}

// A call for one token fails as a call; it is told as all others are.
TokenResults ResultOfOne(const std::string& token, const Status& status) {
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason(std::string(ReasonOf(status.code())));
  TokenResults results;
  v1::TokenResult& result = *results.Add();
  result.set_lock_token(token);
  result.mutable_error()->set_code(grpc::StatusCode::ABORTED);
  result.mutable_error()->set_message(status.message());
  result.mutable_error()->add_details()->PackFrom(info);
  return results;
}

std::string TokenFrom(const std::string& option, const std::string& text) {
  Result<std::string> token = ParseLockToken(text);
  if (!token.ok()) throw CLI::ValidationError(option, token.status().message());
  return *std::move(token);
}

}  // namespace

void AddTokenQueueOptions(CLI::App& command, TokenOptions& options) {
  AddSourceArgument(command, options.queue);
  command.add_flag("--dead-letter", options.is_dead_letter, "In its dead-letter queue");
}

void AddTransactionOption(CLI::App& command, std::string& transaction) {
  command
      .add_option("--transaction", transaction,
                  "The open transaction that it shall be part of; done when that is committed")
      ->check(CheckUtf8)
      ->type_name("ID");
}

void AddTokenOption(CLI::App& command, TokenOptions& options) {
  AddLockTokensOption(command, "TOKEN", options.tokens,
                      "Lock tokens, 32 hexadecimal digits each, as receive prints them")
      ->required();
}

CLI::Option* AddLockTokensOption(CLI::App& command, const std::string& name, Tokens& tokens,
                                 const std::string& help) {
  const auto parse = [&tokens, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) tokens.Add(TokenFrom(name, text));
  };
  return command.add_option_function<std::vector<std::string>>(name, parse, help)
      ->type_name("TOKEN");
}

CLI::Option* AddSessionTokenOption(CLI::App& command, const std::string& name, std::string& token) {
  const auto parse = [&token, name](const std::string& text) { token = TokenFrom(name, text); };
  return command
      .add_option_function<std::string>(
          name, parse,
          "The session's token, 32 hexadecimal digits, as wharf session accept prints it")
      ->type_name("TOKEN");
}

ExitCode ForTokens(Program& program, const TokenOptions& options,
                   const std::function<Result<TokenResults>(Tokens tokens)>& request) {
  TokenResults results;
  for (int at = 0; at < options.tokens.size(); at += kTokensPerRequestMax) {
    const int count = std::min(kTokensPerRequestMax, options.tokens.size() - at);
    const auto begin = options.tokens.begin() + at;
    Result<TokenResults> part = request(Tokens(begin, begin + count));
    const bool is_refused = !part.ok() && part.status().outcome() == Outcome::kNotDone;
    if (is_refused && count == 1 && options.transaction.empty()) {
      results.MergeFrom(ResultOfOne(*begin, part.status()));
      continue;
    }
    if (!part.ok()) {
      Report(program, results);
      return program.Fail(part.status());
    }
    results.MergeFrom(*part);
  }
  // There are no results before the commit.
  if (!options.transaction.empty()) {
    return PrintDone(program, "added", options.tokens.size());
  }
  return Report(program, results);
}

}  // namespace wharf::tool
