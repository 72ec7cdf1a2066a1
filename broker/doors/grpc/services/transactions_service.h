// The gRPC service wharf.v1.Transactions. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/transactions.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class TransactionsService final : public RawService {
 public:
  explicit TransactionsService(const Gates& gates);

  UnaryReactor* RunTransaction(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* BeginTransaction(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* CommitTransaction(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RollbackTransaction(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response);
  UnaryReactor* GetTransaction(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
