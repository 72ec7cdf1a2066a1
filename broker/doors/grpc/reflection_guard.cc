#include "broker/doors/grpc/reflection_guard.h"

#include <string_view>

#include "broker/doors/grpc/services/prove_caller.h"

namespace wharf {
namespace {

namespace ge = grpc::experimental;

class ReflectionCall final : public ge::Interceptor {
 public:
  ReflectionCall(CallGate& gate, grpc::ServerContextBase& context)
      : gate_(gate), context_(context) {}

  // Its metadata is there when its first message is.
  void Intercept(ge::InterceptorBatchMethods* methods) override {
    const bool begins =
        methods->QueryInterceptionHookPoint(ge::InterceptionHookPoints::POST_RECV_INITIAL_METADATA);
    if (begins && !IsAllowed()) context_.TryCancel();
    methods->Proceed();
  }

 private:
  bool IsAllowed() {
    CallGate::Ticket ticket = gate_.Enter([] {});
    if (!ticket.is_valid()) return false;
    return ProveCaller(ticket, context_, {.tracking_id = NewTrackingId()}).ok();
  }

  CallGate& gate_;
  grpc::ServerContextBase& context_;
};

}  // namespace

ge::Interceptor* ReflectionGuard::CreateServerInterceptor(ge::ServerRpcInfo* info) {
  const bool is_reflection = std::string_view(info->method()).starts_with("/grpc.reflection.");
  return is_reflection ? new ReflectionCall(gate_, *info->server_context()) : nullptr;
}

}  // namespace wharf
