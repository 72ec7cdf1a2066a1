// ReflectionGuard: reflection is gRPC's own, so it comes through no gate of ours: here its calls
// are cancelled that have no token that holds, and those whose token, or what it was made with,
// holds no more. Any token is enough: what it tells is in proto/ anyway. Health is for everybody,
// so nothing of it lapses.
//
// Made by the Server; used on gRPC's threads.
#pragma once

#include <memory>

#include <grpcpp/support/server_interceptor.h>

#include "broker/doors/common/call_gate.h"

namespace wharf {

class ReflectionGuard final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit ReflectionGuard(CallGate& gate) : gate_(gate) {}

  // Null for calls of all other services.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
