// CallUnary: one request, one answer, one deadline. Used by Client and Management, on the caller's
// thread.
#pragma once

#include <chrono>

#include <grpcpp/grpcpp.h>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/error.h"

namespace wharf::client {

template <typename Stub, typename Request, typename Response>
Result<Response> CallUnary(Stub& stub,
                           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
                           const Request& request, Duration timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return ToStatus(status);
  return response;
}

}  // namespace wharf::client
