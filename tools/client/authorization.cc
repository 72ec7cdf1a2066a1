#include "tools/client/authorization.h"

#include <utility>

namespace wharf::client {
namespace {

namespace ge = grpc::experimental;

class SendsToken final : public ge::Interceptor {
 public:
  explicit SendsToken(TokenSource& tokens) : tokens_(tokens) {}

  void Intercept(ge::InterceptorBatchMethods* methods) override {
    const bool begins =
        methods->QueryInterceptionHookPoint(ge::InterceptionHookPoints::PRE_SEND_INITIAL_METADATA);
    if (begins) methods->GetSendInitialMetadata()->emplace("authorization", tokens_.Token());
    methods->Proceed();
  }

 private:
  TokenSource& tokens_;
};

class SendTokens final : public ge::ClientInterceptorFactoryInterface {
 public:
  explicit SendTokens(std::shared_ptr<TokenSource> tokens) : tokens_(std::move(tokens)) {}

  ge::Interceptor* CreateClientInterceptor(ge::ClientRpcInfo* /*info*/) override {
    return new SendsToken(*tokens_);
  }

 private:
  const std::shared_ptr<TokenSource> tokens_;
};

}  // namespace

std::vector<std::unique_ptr<ge::ClientInterceptorFactoryInterface>> AuthorizationOf(
    std::shared_ptr<TokenSource> tokens) {
  std::vector<std::unique_ptr<ge::ClientInterceptorFactoryInterface>> interceptors;
  if (tokens != nullptr) interceptors.push_back(std::make_unique<SendTokens>(std::move(tokens)));
  return interceptors;
}

}  // namespace wharf::client
