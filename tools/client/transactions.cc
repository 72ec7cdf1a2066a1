#include "tools/client/transactions.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Transactions::Stub;

namespace {

// By its id the broker knows a transaction that it was told of before.
Repeat RepeatOf(const std::string& id) {
  return id.empty() ? Repeat::kIfNotDone : Repeat::kAlsoIfUnknown;
}

}  // namespace

Transactions::Transactions(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::Transaction> Transactions::Run(const v1::RunTransactionRequest& request) {
  return CallUnary(*endpoints_, &Stub::RunTransaction, request, timeout_,
                   RepeatOf(request.transaction_id()));
}

Result<v1::Transaction> Transactions::Begin(const std::string& id) {
  v1::BeginTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*endpoints_, &Stub::BeginTransaction, request, timeout_, RepeatOf(id));
}

Result<v1::Transaction> Transactions::Commit(const std::string& id) {
  v1::CommitTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*endpoints_, &Stub::CommitTransaction, request, timeout_,
                   Repeat::kAlsoIfUnknown);
}

Result<v1::Transaction> Transactions::Rollback(const std::string& id) {
  v1::RollbackTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*endpoints_, &Stub::RollbackTransaction, request, timeout_,
                   Repeat::kAlsoIfUnknown);
}

Result<v1::Transaction> Transactions::Get(const std::string& id) {
  v1::GetTransactionRequest request;
  request.set_transaction_id(id);
  return CallToLook(*endpoints_, &Stub::GetTransaction, request, timeout_);
}

}  // namespace wharf::client
