#include "broker/requests/weight.h"

namespace wharf {
namespace {

// What a lock token, or a number, takes while it waits and is looked up, about.
constexpr std::size_t kTokenBytes = 64;
constexpr std::size_t kNumberBytes = 128;

std::size_t WeightOfTokens(const TokenList& tokens) {
  return WeightOfBytes(tokens.size() * kTokenBytes);
}
std::size_t WeightOfNumbers(const Numbers& numbers) {
  return WeightOfBytes(numbers.size() * kNumberBytes);
}
std::size_t WeightOfMessage(const Message& message) {
  return WeightOfBytes(static_cast<std::size_t>(SizeOf(message)));
}
std::size_t WeightOfOperation(const Operation& operation) {
  return WeightOfBytes(BytesIn(operation)) + MessagesIn(operation);
}

}  // namespace

std::size_t WeightOf(const SendRequest& request) {
  std::size_t weight = 0;
  for (const Message& message : request.messages) weight += WeightOfMessage(message);
  return weight;
}

std::size_t WeightOf(const SettleRequest& request) { return WeightOfTokens(request.tokens); }
std::size_t WeightOf(const RenewLockRequest& request) { return WeightOfTokens(request.tokens); }

std::size_t WeightOf(const ReceiveDeferredRequest& request) {
  return WeightOfNumbers(request.numbers);
}
std::size_t WeightOf(const UndeferRequest& request) { return WeightOfNumbers(request.numbers); }
std::size_t WeightOf(const CancelScheduledRequest& request) {
  return WeightOfNumbers(request.numbers);
}
std::size_t WeightOf(const RescheduleRequest& request) { return WeightOfNumbers(request.numbers); }
std::size_t WeightOf(const ActivateScheduledRequest& request) {
  return WeightOfNumbers(request.numbers);
}

std::size_t WeightOf(const SetSessionStateRequest& request) {
  return WeightOfBytes((request.state ? request.state->size() : 0) +
                       request.completed.size() * kTokenBytes);
}

std::size_t WeightOf(const RunTransactionRequest& request) {
  std::size_t weight = 1;
  for (const Operation& operation : request.operations) weight += WeightOfOperation(operation);
  return weight;
}
std::size_t WeightOf(const AddToTransactionRequest& request) {
  return 1 + (request.operation.ok() ? WeightOfOperation(*request.operation) : 0);
}

std::size_t WeightOf(const EvaluateRulesRequest& request) {
  return WeightOfMessage(request.message);
}
std::size_t WeightOf(const EvaluateRuleRequest& request) {
  return WeightOfMessage(request.message);
}

}  // namespace wharf
