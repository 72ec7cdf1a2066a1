// What is asked about transactions: operations on any entities, all of them or none, in one commit
// (TXN-1, TXN-11).
//
// An id is chosen by the caller, or else drawn; how it ended can be asked for a while (TXX-1).
#pragma once

#include <optional>
#include <vector>

#include "broker/core/operations/transaction_plan.h"
#include "broker/core/operations/transaction_record.h"

namespace wharf {

// In one call. An id that was committed is answered with its outcome, and nothing is done again.
struct RunTransactionRequest {
  using Response = TransactionRecord;
  std::optional<TransactionId> id{};
  std::vector<Operation> operations{};
};

struct BeginTransactionRequest {
  using Response = TransactionRecord;
  std::optional<TransactionId> id{};
};

// Checked now, and done when the transaction is committed. One that cannot be done, or that the
// door could not read, makes the transaction fail (TXN-21).
struct AddToTransactionRequest {
  using Response = TransactionRecord;
  TransactionId id{};
  Result<Operation> operation = Operation();
};

struct CommitTransactionRequest {
  using Response = TransactionRecord;
  TransactionId id{};
};

struct RollBackTransactionRequest {
  using Response = TransactionRecord;
  TransactionId id{};
};

// TransactionUnknown: never begun, or forgotten.
struct GetTransactionRequest {
  using Response = TransactionRecord;
  TransactionId id{};
};

}  // namespace wharf
