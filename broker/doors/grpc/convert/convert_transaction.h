// Conversions of transactions between wharf.v1 and the broker's own values; the others are in
// convert.h.
#pragma once

#include <optional>
#include <vector>

#include <wharf/v1/transactions.pb.h>

#include "broker/core/operations/transaction_plan.h"

namespace wharf {

// A request as a part of a transaction. Takes the bodies out of `proto`.
Result<Operation> OperationFromProto(v1::SendRequest& proto);
Result<Operation> OperationFromProto(v1::SettleRequest& proto);
Result<Operation> OperationFromProto(v1::RenewLockRequest& proto);
Result<Operation> OperationFromProto(v1::SetSessionStateRequest& proto);
// The error names the place in the list.
Result<std::vector<Operation>> FromProto(v1::RunTransactionRequest& proto);
// Empty: none.
std::optional<TransactionId> TransactionIdFromProto(const std::string& proto);

void ToProto(const TransactionRecord& record, v1::Transaction* proto);

}  // namespace wharf
