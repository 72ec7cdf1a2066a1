#include "broker/requests/check.h"

#include <chrono>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr Duration kWaitMax = std::chrono::minutes(5);
// One deletion of the oldest (BDL-3).
constexpr std::size_t kDeletedMax = 4000;

Status CheckCount(std::size_t count, std::string_view what) {
  if (count == 0) return {ErrorCode::kArgumentError, fmt::format("the request has no {}", what)};
  return CheckCountMax(count, what);
}

Status CheckNumbers(const Numbers& numbers) {
  if (numbers.size() <= kItemsMax) return {};
  return {ErrorCode::kArgumentOutOfRange,
          fmt::format("a request names at most {} sequence numbers", kItemsMax)};
}

Status CheckWait(Duration wait) {
  if (wait >= Duration(0) && wait <= kWaitMax) return {};
  return {ErrorCode::kArgumentOutOfRange, "max_wait must be from 0 to 5 minutes"};
}

Status CheckId(const std::optional<TransactionId>& id) {
  return id ? CheckTransactionId(*id) : Status();
}

}  // namespace

Status CheckCountMax(std::size_t count, std::string_view what) {
  if (count <= kItemsMax) return {};
  return {ErrorCode::kArgumentOutOfRange,
          fmt::format("a request holds at most {} {}", kItemsMax, what)};
}

Status Check(const SendRequest& request) { return CheckCount(request.messages.size(), "messages"); }

Status Check(const SettleRequest& request) {
  WHARF_RETURN_IF_ERROR(CheckCount(request.tokens.size(), "lock tokens"));
  return CheckSettlement(request.settlement);
}

Status Check(const RenewLockRequest& request) {
  return CheckCount(request.tokens.size(), "lock tokens");
}

Status Check(const ReceiveRequest& request) {
  if (request.messages_max < 1 || request.messages_max > kItemsMax) {
    return {ErrorCode::kArgumentOutOfRange,
            fmt::format("max_messages must be from 1 to {}", kItemsMax)};
  }
  return CheckWait(request.wait);
}

Status Check(const AttachRequest& request) {
  const auto* choice = std::get_if<SessionChoice>(&request.session);
  return choice == nullptr ? Status() : CheckWait(choice->wait);
}

Status Check(const AcceptSessionRequest& request) { return CheckWait(request.choice.wait); }

Status Check(const ReceiveDeferredRequest& request) { return CheckNumbers(request.numbers); }
Status Check(const UndeferRequest& request) { return CheckNumbers(request.numbers); }
Status Check(const SettleOneRequest& request) { return CheckSettlement(request.settlement); }

Status Check(const DeleteOldestRequest& request) {
  if (request.messages_max >= 1 && request.messages_max <= kDeletedMax) return {};
  return {ErrorCode::kArgumentOutOfRange,
          fmt::format("max_messages must be from 1 to {}", kDeletedMax)};
}

Status Check(const CancelScheduledRequest& request) { return CheckNumbers(request.numbers); }
Status Check(const RescheduleRequest& request) { return CheckNumbers(request.numbers); }
Status Check(const ActivateScheduledRequest& request) { return CheckNumbers(request.numbers); }

Status Check(const SetSessionStateRequest& request) {
  WHARF_RETURN_IF_ERROR(CheckCountMax(request.completed.size(), "lock tokens"));
  for (const Result<LockToken>& token : request.completed) {
    WHARF_RETURN_IF_ERROR(token.status());
  }
  return {};
}

Status Check(const RunTransactionRequest& request) { return CheckId(request.id); }
Status Check(const BeginTransactionRequest& request) { return CheckId(request.id); }
Status Check(const AddToTransactionRequest& request) { return CheckId(request.id); }
Status Check(const CommitTransactionRequest& request) { return CheckId(request.id); }
Status Check(const RollBackTransactionRequest& request) { return CheckId(request.id); }
Status Check(const GetTransactionRequest& request) { return CheckId(request.id); }

Status Check(const EvaluateRulesRequest& request) { return CheckMessage(request.message); }
Status Check(const EvaluateRuleRequest& request) { return CheckMessage(request.message); }

}  // namespace wharf
