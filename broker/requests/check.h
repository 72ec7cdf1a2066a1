// Check: what can be said of a request by looking at nothing but the request.
#pragma once

#include <cstddef>
#include <string_view>

#include "broker/requests/request_list.h"

namespace wharf {

template <typename Request>
Status Check(const Request&) {
  return {};
}
Status Check(const SendRequest& request);
Status Check(const SettleRequest& request);
Status Check(const RenewLockRequest& request);
Status Check(const ReceiveRequest& request);
Status Check(const AttachRequest& request);
Status Check(const AcceptSessionRequest& request);
Status Check(const ReceiveDeferredRequest& request);
Status Check(const UndeferRequest& request);
Status Check(const SettleOneRequest& request);
Status Check(const DeleteOldestRequest& request);
Status Check(const CancelScheduledRequest& request);
Status Check(const RescheduleRequest& request);
Status Check(const ActivateScheduledRequest& request);
Status Check(const SetSessionStateRequest& request);
Status Check(const RunTransactionRequest& request);
Status Check(const BeginTransactionRequest& request);
Status Check(const AddToTransactionRequest& request);
Status Check(const CommitTransactionRequest& request);
Status Check(const RollBackTransactionRequest& request);
Status Check(const GetTransactionRequest& request);
Status Check(const EvaluateRulesRequest& request);
Status Check(const EvaluateRuleRequest& request);

// How many of `what` a request names: for who must know before it is asked.
Status CheckCountMax(std::size_t count, std::string_view what);

}  // namespace wharf
