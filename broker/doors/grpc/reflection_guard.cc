#include "broker/doors/grpc/reflection_guard.h"

#include <string_view>

#include "absl/base/thread_annotations.h"
#include "broker/doors/grpc/services/asker.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

namespace ge = grpc::experimental;

// What cancels a call as long as there is one: it may be asked to when the call is over.
class Canceller {
 public:
  explicit Canceller(grpc::ServerContextBase& context) : context_(&context) {}

  // Nothing is called back inside a cancellation, so nothing waits for this mutex there.
  void Cancel() {
    MutexLock lock(mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }
  void Forget() {
    MutexLock lock(mutex_);
    context_ = nullptr;
  }

 private:
  Mutex mutex_;
  grpc::ServerContextBase* context_ ABSL_GUARDED_BY(mutex_);
};

// It keeps its ticket until gRPC is done with the call, as our own calls do.
class ReflectionCall final : public ge::Interceptor {
 public:
  ReflectionCall(CallGate& gate, grpc::ServerContextBase& context)
      : gate_(gate), context_(context), canceller_(std::make_shared<Canceller>(context)) {}
  ~ReflectionCall() override { End(); }

  // Its metadata is there when its first message is.
  void Intercept(ge::InterceptorBatchMethods* methods) override {
    using Points = ge::InterceptionHookPoints;
    if (methods->QueryInterceptionHookPoint(Points::POST_RECV_INITIAL_METADATA) && !Begin()) {
      context_.TryCancel();
    }
    if (methods->QueryInterceptionHookPoint(Points::POST_RECV_CLOSE)) End();
    methods->Proceed();
  }

 private:
  bool Begin() {
    const auto cancel = [canceller = canceller_] { canceller->Cancel(); };
    ticket_.reset(new CallGate::Ticket(gate_.Enter(cancel)));
    const Asker asker(context_);
    const bool is_allowed =
        ticket_->is_valid() && asker.Prove(*ticket_, {.tracking_id = asker.tracking_id()}).ok();
    if (!is_allowed || ticket_->permit() == nullptr) {
      ticket_.reset();
    } else {
      ticket_->OnClose([cancel](const Status&) { cancel(); });
    }
    return is_allowed;
  }

  void End() {
    canceller_->Forget();
    ticket_.reset();
  }

  CallGate& gate_;
  grpc::ServerContextBase& context_;
  const std::shared_ptr<Canceller> canceller_;
  // Null: it is over, or proved nothing because nobody has to.
  std::unique_ptr<CallGate::Ticket> ticket_;
};

}  // namespace

ge::Interceptor* ReflectionGuard::CreateServerInterceptor(ge::ServerRpcInfo* info) {
  const bool is_reflection = std::string_view(info->method()).starts_with("/grpc.reflection.");
  return is_reflection ? new ReflectionCall(gate_, *info->server_context()) : nullptr;
}

}  // namespace wharf
