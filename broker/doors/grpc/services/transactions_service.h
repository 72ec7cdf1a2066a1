// The gRPC service wharf.v1.Transactions. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/transactions.grpc.pb.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/services/raw_methods.h"

namespace wharf {

class TransactionsService final
    : public RawMethods<v1::Transactions::Service,
                        v1::Transactions::WithRawCallbackMethod_RunTransaction,
                        v1::Transactions::WithRawCallbackMethod_BeginTransaction,
                        v1::Transactions::WithRawCallbackMethod_CommitTransaction,
                        v1::Transactions::WithRawCallbackMethod_RollbackTransaction,
                        v1::Transactions::WithRawCallbackMethod_GetTransaction> {
 public:
  explicit TransactionsService(CallGate& gate) : gate_(gate) {}

  grpc::ServerUnaryReactor* RunTransaction(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* BeginTransaction(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CommitTransaction(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RollbackTransaction(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetTransaction(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
