#include "broker/doors/grpc/errors.h"

#include <string>

#include <google/rpc/error_details.pb.h>

#include "broker/core/messages/text.h"

namespace wharf {
namespace {

// What clients shall wait when the broker is busy (QUO-11 says ~10 s; a local broker recovers
// faster).
constexpr int kRetrySeconds = 1;

// An error travels in the trailers of a call, which gRPC bounds to 8 KiB: what clients wrote
// themselves must not keep it from arriving.
constexpr std::size_t kMessageBytesMax = 1024;
constexpr std::size_t kPathBytesMax = 400;
constexpr std::size_t kAddressBytesMax = 300;

}  // namespace

// The column "gRPC" of semantics section 25.
grpc::StatusCode GrpcCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return grpc::StatusCode::OK;
    case ErrorCode::kMessagingEntityNotFound:
    case ErrorCode::kMessageNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case ErrorCode::kMessagingEntityAlreadyExists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case ErrorCode::kMessagingEntityDisabled:
    case ErrorCode::kSessionCannotBeLocked:
    case ErrorCode::kInvalidOperation:
    case ErrorCode::kNoMatchingSubscription:
    case ErrorCode::kTransactionUnknown:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case ErrorCode::kMessageLockLost:
    case ErrorCode::kSessionLockLost:
    case ErrorCode::kTransactionAborted:
      return grpc::StatusCode::ABORTED;
    case ErrorCode::kMessageSizeExceeded:
    case ErrorCode::kArgumentError:
    case ErrorCode::kFilterException:
    case ErrorCode::kRuleActionException:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorCode::kArgumentOutOfRange:
      return grpc::StatusCode::OUT_OF_RANGE;
    case ErrorCode::kQuotaExceeded:
    case ErrorCode::kTransactionSizeExceeded:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case ErrorCode::kServiceBusy:
    case ErrorCode::kServiceCommunicationProblem:
    case ErrorCode::kPartitionNotOwned:
      return grpc::StatusCode::UNAVAILABLE;
    case ErrorCode::kServiceTimeout:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case ErrorCode::kUnauthorized:
      return grpc::StatusCode::UNAUTHENTICATED;
    case ErrorCode::kForbidden:
      return grpc::StatusCode::PERMISSION_DENIED;
    case ErrorCode::kNotImplemented:
      return grpc::StatusCode::UNIMPLEMENTED;
    case ErrorCode::kGeneralError:
      return grpc::StatusCode::INTERNAL;
  }
  return grpc::StatusCode::INTERNAL;
}

google::rpc::Status ToProto(const Status& status, const AboutRequest& about) {
  google::rpc::Status result;
  result.set_code(GrpcCodeOf(status.code()));
  result.set_message(Shortened(status.message(), kMessageBytesMax));

  google::rpc::ErrorInfo info;
  info.set_reason(std::string(ReasonOf(status.code())));
  info.set_domain("wharf");
  auto& metadata = *info.mutable_metadata();
  metadata["entity_path"] = Shortened(about.entity_path, kPathBytesMax);
  metadata["is_transient"] = IsTransient(status.code()) ? "true" : "false";
  metadata["outcome"] = status.outcome() == Outcome::kUnknown ? "unknown" : "not-done";
  metadata["tracking_id"] = ToString(about.tracking_id);
  if (!status.leader().empty()) metadata["leader"] = Shortened(status.leader(), kAddressBytesMax);
  result.add_details()->PackFrom(info);

  if (status.code() == ErrorCode::kServiceBusy) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(kRetrySeconds);
    result.add_details()->PackFrom(retry);
  }
  return result;
}

grpc::Status ToGrpc(const Status& status, const AboutRequest& about) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status proto = ToProto(status, about);
  return {GrpcCodeOf(status.code()), proto.message(), proto.SerializeAsString()};
}

}  // namespace wharf
