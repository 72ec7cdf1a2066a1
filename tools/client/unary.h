// CallUnary: one request, one answer, asked of who leads. Used by Client and what it holds, on the
// caller's thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"

namespace wharf::client {

template <typename Stub, typename Request, typename Response>
using UnaryMethod = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

// All tries together may take `timeout`.
template <typename Stub, typename Request, typename Response>
Result<Response> CallUnary(Endpoints& endpoints, UnaryMethod<Stub, Request, Response> method,
                           const Request& request, Duration timeout,
                           Repeat repeat = Repeat::kIfNotDone) {
  Response response;
  Status status =
      endpoints.Ask(timeout, repeat, [&](Endpoint& endpoint, grpc::ClientContext& context) {
        return (endpoint.stub<Stub>().*method)(&context, request, &response);
      });
  if (!status.ok()) return status;
  return response;
}

// The same for what only looks.
template <typename Stub, typename Request, typename Response>
Result<Response> CallToLook(Endpoints& endpoints, UnaryMethod<Stub, Request, Response> method,
                            const Request& request, Duration timeout) {
  return CallUnary(endpoints, method, request, timeout, Repeat::kAlsoIfUnknown);
}

}  // namespace wharf::client
