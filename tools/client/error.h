// Errors as they come over the wire, turned back into Status.
//
// The broker says its reason in google.rpc.ErrorInfo. An error without one comes from gRPC itself
// (no connection, a deadline), and what it means for the outcome is judged by its code. What this
// client cancelled itself is not judged here. Used by everything in this room, on every thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include "google/rpc/status.pb.h"
#include "storage/base/status.h"

namespace wharf::client {

Status ToStatus(const grpc::Status& status);
Status ToStatus(const google::rpc::Status& status);

}  // namespace wharf::client
