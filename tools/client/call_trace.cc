#include "tools/client/call_trace.h"

#include <algorithm>
#include <utility>

namespace wharf::client {
namespace {

namespace ge = grpc::experimental;

// Of every version that there is, or will be.
constexpr std::size_t kTraceparentBytesMax = 256;

class SendsTrace final : public ge::Interceptor {
 public:
  explicit SendsTrace(const std::string& traceparent) : traceparent_(traceparent) {}

  void Intercept(ge::InterceptorBatchMethods* methods) override {
    const bool begins =
        methods->QueryInterceptionHookPoint(ge::InterceptionHookPoints::PRE_SEND_INITIAL_METADATA);
    if (begins) methods->GetSendInitialMetadata()->emplace("traceparent", traceparent_);
    methods->Proceed();
  }

 private:
  const std::string& traceparent_;
};

class SendTrace final : public ge::ClientInterceptorFactoryInterface {
 public:
  explicit SendTrace(std::string traceparent) : traceparent_(std::move(traceparent)) {}

  ge::Interceptor* CreateClientInterceptor(ge::ClientRpcInfo* /*info*/) override {
    return new SendsTrace(traceparent_);
  }

 private:
  const std::string traceparent_;
};

bool CanBeSent(const std::string& traceparent) {
  return !traceparent.empty() && traceparent.size() <= kTraceparentBytesMax &&
         std::all_of(traceparent.begin(), traceparent.end(),
                     [](char letter) { return letter > ' ' && letter <= '~'; });
}

}  // namespace

std::unique_ptr<ge::ClientInterceptorFactoryInterface> CallTraceOf(const std::string& traceparent) {
  if (!CanBeSent(traceparent)) return nullptr;
  return std::make_unique<SendTrace>(traceparent);
}

}  // namespace wharf::client
