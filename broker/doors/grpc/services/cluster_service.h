// The gRPC service wharf.v1.Cluster: answered by every node, whoever leads. Called on gRPC's
// threads; keeps nothing.
#pragma once

#include <wharf/v1/cluster.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class ClusterService final : public RawService {
 public:
  // The gates lead to the cluster (CallGate::Node).
  explicit ClusterService(const Gates& gates);

  UnaryReactor* GetStatus(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* Found(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* AddMember(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RemoveMember(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* TransferLeadership(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response);
  UnaryReactor* SetMemberAddress(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* VerifyState(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
