// Errors on the wire: one table from ErrorCode to gRPC status codes, and the details every error
// carries.
#pragma once

#include <string_view>

#include <google/rpc/status.pb.h>
#include <grpcpp/support/status.h>

#include "broker/requests/caller.h"
#include "storage/base/status.h"

namespace wharf {

grpc::StatusCode GrpcCodeOf(ErrorCode code);

// What an error says of the request that failed.
struct AboutRequest {
  // Empty: it names none.
  std::string_view entity_path{};
  TrackingId tracking_id{};
};

google::rpc::Status ToProto(const Status& status, const AboutRequest& about);
grpc::Status ToGrpc(const Status& status, const AboutRequest& about);

}  // namespace wharf
