// Errors on the wire: one table from ErrorCode to gRPC status codes, and the details every error
// carries.
#pragma once

#include <string_view>

#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>

#include "storage/base/status.h"

namespace wharf {

grpc::StatusCode GrpcCodeOf(ErrorCode code);

// `entity_path` goes into the ErrorInfo; empty if the request names none. Each call makes a
// tracking id.
google::rpc::Status ToProto(const Status& status, std::string_view entity_path);
grpc::Status ToGrpc(const Status& status, std::string_view entity_path);

}  // namespace wharf
