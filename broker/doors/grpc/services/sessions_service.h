// The gRPC service wharf.v1.Sessions. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/sessions.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class SessionsService final : public RawService {
 public:
  explicit SessionsService(const Gates& gates);

  UnaryReactor* AcceptSession(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RenewSessionLock(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ReleaseSession(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetSessionState(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* SetSessionState(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListSessions(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListDeepestSessions(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response);
  UnaryReactor* ForceReleaseSession(grpc::CallbackServerContext* context,
                                    grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
