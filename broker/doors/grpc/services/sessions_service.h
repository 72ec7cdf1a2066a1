// The gRPC service wharf.v1.Sessions. Called on gRPC's threads; keeps nothing.
#pragma once

#include <wharf/v1/sessions.grpc.pb.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/services/raw_methods.h"

namespace wharf {

class SessionsService final
    : public RawMethods<v1::Sessions::Service, v1::Sessions::WithRawCallbackMethod_AcceptSession,
                        v1::Sessions::WithRawCallbackMethod_RenewSessionLock,
                        v1::Sessions::WithRawCallbackMethod_ReleaseSession,
                        v1::Sessions::WithRawCallbackMethod_GetSessionState,
                        v1::Sessions::WithRawCallbackMethod_SetSessionState,
                        v1::Sessions::WithRawCallbackMethod_ListSessions,
                        v1::Sessions::WithRawCallbackMethod_ListDeepestSessions,
                        v1::Sessions::WithRawCallbackMethod_ForceReleaseSession> {
 public:
  explicit SessionsService(CallGate& gate) : gate_(gate) {}

  grpc::ServerUnaryReactor* AcceptSession(grpc::CallbackServerContext* context,
                                          const grpc::ByteBuffer* request,
                                          grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RenewSessionLock(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ReleaseSession(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetSessionState(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* SetSessionState(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListSessions(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListDeepestSessions(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ForceReleaseSession(grpc::CallbackServerContext* context,
                                                const grpc::ByteBuffer* request,
                                                grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
