// A request that is a part of an open transaction. Used by the services whose requests can be one.
#pragma once

#include "broker/doors/grpc/convert/convert_transaction.h"
#include "broker/requests/transaction_requests.h"

namespace wharf {

template <typename Call>
bool IsTransactionPart(Call& call) {
  return !call.request().transaction_id().empty();
}

// The answer has no results: there are none before the commit. A request that cannot be converted
// makes the transaction fail, too.
template <typename Call>
void AddToTransaction(Call& call) {
  call.requests().Ask(
      call.caller(),
      AddToTransactionRequest{call.request().transaction_id(), OperationFromProto(call.request())},
      [&call](const Result<TransactionRecord>& record) {
        if (!record.ok()) return call.Fail(record.status());
        call.Succeed();
      });
}

}  // namespace wharf
