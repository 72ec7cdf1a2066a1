#include "tools/client/transactions.h"

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Transactions::Stub;

Transactions::Transactions(const std::shared_ptr<grpc::Channel>& channel, Duration timeout)
    : stub_(v1::Transactions::NewStub(channel)), timeout_(timeout) {}

Result<v1::Transaction> Transactions::Run(const v1::RunTransactionRequest& request) {
  return CallUnary(*stub_, &Stub::RunTransaction, request, timeout_);
}

Result<v1::Transaction> Transactions::Begin(const std::string& id) {
  v1::BeginTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*stub_, &Stub::BeginTransaction, request, timeout_);
}

Result<v1::Transaction> Transactions::Commit(const std::string& id) {
  v1::CommitTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*stub_, &Stub::CommitTransaction, request, timeout_);
}

Result<v1::Transaction> Transactions::Rollback(const std::string& id) {
  v1::RollbackTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*stub_, &Stub::RollbackTransaction, request, timeout_);
}

Result<v1::Transaction> Transactions::Get(const std::string& id) {
  v1::GetTransactionRequest request;
  request.set_transaction_id(id);
  return CallUnary(*stub_, &Stub::GetTransaction, request, timeout_);
}

}  // namespace wharf::client
