// Authorization: sends a token with each call of a channel, as metadata.
#pragma once

#include <memory>
#include <vector>

#include <grpcpp/support/client_interceptor.h>

#include "tools/client/token_source.h"

namespace wharf::client {

// For a channel; none if there are no tokens.
std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>> AuthorizationOf(
    std::shared_ptr<TokenSource> tokens);

}  // namespace wharf::client
