#include "tools/wharf/transactions/operation_text.h"

#include <utility>

#include <fmt/core.h>

#include "tools/wharf/receiving/settlement_verb.h"
#include "tools/wharf/text/lock_token_text.h"

namespace wharf::tool {
namespace {

// The text up to the next space, which is taken away with it.
std::string TakeWord(std::string& text) {
  const std::size_t end = text.find(' ');
  std::string word = text.substr(0, end);
  text = end == std::string::npos ? "" : text.substr(end + 1);
  return word;
}

Status AddTokens(std::string text, google::protobuf::RepeatedPtrField<std::string>& tokens) {
  while (!text.empty()) {
    Result<std::string> token = ParseLockToken(TakeWord(text));
    if (!token.ok()) return token.status();
    tokens.Add(*std::move(token));
  }
  if (tokens.empty()) return {ErrorCode::kArgumentError, "a lock token is missing"};
  return {};
}

}  // namespace

Result<v1::TransactionOperation> ParseOperation(const std::string& text) {
  std::string rest = text;
  const std::string verb = TakeWord(rest);
  const std::string path = TakeWord(rest);
  v1::TransactionOperation operation;
  Status parsed;
  if (path.empty()) {
    parsed = {ErrorCode::kArgumentError, "the queue is missing"};
  } else if (verb == "send") {
    operation.mutable_send()->set_entity_path(path);
    operation.mutable_send()->add_messages()->set_body(rest);
  } else if (verb == "renew") {
    operation.mutable_renew_lock()->set_entity_path(path);
    parsed = AddTokens(std::move(rest), *operation.mutable_renew_lock()->mutable_lock_tokens());
  } else if (VerbsByName().contains(verb)) {
    v1::Settlement& settlement = *operation.mutable_settle()->mutable_settlement();
    operation.mutable_settle()->set_entity_path(path);
    settlement = MakeSettlement(VerbsByName().at(verb));
    parsed = AddTokens(std::move(rest), *settlement.mutable_lock_tokens());
  } else {
    parsed = {ErrorCode::kArgumentError,
              fmt::format("\"{}\" is none of send, complete, abandon, defer, dead-letter, release "
                          "and renew",
                          verb)};
  }
  if (!parsed.ok()) return parsed;
  return operation;
}

}  // namespace wharf::tool
