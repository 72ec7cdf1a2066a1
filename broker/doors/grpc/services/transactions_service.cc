#include "broker/doors/grpc/services/transactions_service.h"

#include <utility>

#include "broker/doors/grpc/convert/convert_transaction.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

template <typename Call>
Answer<TransactionRecord> AnswerWith(Call& call) {
  return [&call](const Result<TransactionRecord>& record) {
    if (!record.ok()) return call.Fail(record.status());
    ToProto(*record, &call.response());
    call.Succeed();
  };
}

}  // namespace

TransactionsService::TransactionsService(const Gates& gates)
    : RawService(v1::Transactions::service_full_name()), gates_(gates) {
  Offer(Unary("RunTransaction", &TransactionsService::RunTransaction),
        Unary("BeginTransaction", &TransactionsService::BeginTransaction),
        Unary("CommitTransaction", &TransactionsService::CommitTransaction),
        Unary("RollbackTransaction", &TransactionsService::RollbackTransaction),
        Unary("GetTransaction", &TransactionsService::GetTransaction));
}

UnaryReactor* TransactionsService::RunTransaction(grpc::CallbackServerContext* context,
                                                  grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RunTransactionRequest, v1::Transaction>;
  return Call::Start(gates_, context, response, [](Call& call) {
    Result<std::vector<Operation>> operations = FromProto(call.request());
    if (!operations.ok()) return call.Fail(operations.status());
    call.requests().Ask(
        call.caller(),
        RunTransactionRequest{TransactionIdFromProto(call.request().transaction_id()),
                              *std::move(operations)},
        AnswerWith(call));
  });
}

UnaryReactor* TransactionsService::BeginTransaction(grpc::CallbackServerContext* context,
                                                    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::BeginTransactionRequest, v1::Transaction>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.requests().Ask(
        call.caller(),
        BeginTransactionRequest{TransactionIdFromProto(call.request().transaction_id())},
        AnswerWith(call));
  });
}

UnaryReactor* TransactionsService::CommitTransaction(grpc::CallbackServerContext* context,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CommitTransactionRequest, v1::Transaction>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.requests().Ask(call.caller(), CommitTransactionRequest{call.request().transaction_id()},
                        AnswerWith(call));
  });
}

UnaryReactor* TransactionsService::RollbackTransaction(grpc::CallbackServerContext* context,
                                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RollbackTransactionRequest, v1::Transaction>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.requests().Ask(call.caller(), RollBackTransactionRequest{call.request().transaction_id()},
                        AnswerWith(call));
  });
}

UnaryReactor* TransactionsService::GetTransaction(grpc::CallbackServerContext* context,
                                                  grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetTransactionRequest, v1::Transaction>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.requests().Ask(call.caller(), GetTransactionRequest{call.request().transaction_id()},
                        AnswerWith(call));
  });
}

}  // namespace wharf
