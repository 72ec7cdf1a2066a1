// CallTrace: sends with each call of a channel to which trace it belongs, as metadata.
#pragma once

#include <memory>
#include <string>

#include <grpcpp/support/client_interceptor.h>

namespace wharf::client {

// For a channel; null if there is none, or what cannot be sent: it is of use to nobody but who
// looks for a reason later.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> CallTraceOf(
    const std::string& traceparent);

}  // namespace wharf::client
