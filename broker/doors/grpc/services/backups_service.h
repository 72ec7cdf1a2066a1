// The gRPC service wharf.v1.Backups: answered by every node, whoever leads, of its own state.
// Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/backups.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class BackupsService final : public RawService {
 public:
  // The gates lead to the node (CallGate::Node).
  explicit BackupsService(const Gates& gates);

  UnaryReactor* Create(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* Verify(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* Prune(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetWork(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* List(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
