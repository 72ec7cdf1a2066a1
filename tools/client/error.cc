#include "tools/client/error.h"

#include <optional>

#include <fmt/core.h>

#include "google/rpc/error_details.pb.h"

namespace wharf::client {
namespace {

// What an error means that does not come from the broker.
struct Judgement {
  ErrorCode code;
  Outcome outcome;
};

Judgement Judge(int code) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
      return {ErrorCode::kServiceCommunicationProblem, Outcome::kUnknown};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {ErrorCode::kServiceTimeout, Outcome::kUnknown};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {ErrorCode::kNotImplemented, Outcome::kNotDone};
    case grpc::StatusCode::NOT_FOUND:
      return {ErrorCode::kMessagingEntityNotFound, Outcome::kNotDone};
    case grpc::StatusCode::ALREADY_EXISTS:
      return {ErrorCode::kMessagingEntityAlreadyExists, Outcome::kNotDone};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return {ErrorCode::kQuotaExceeded, Outcome::kNotDone};
    case grpc::StatusCode::FAILED_PRECONDITION:
      return {ErrorCode::kInvalidOperation, Outcome::kNotDone};
    case grpc::StatusCode::ABORTED:
      return {ErrorCode::kMessageLockLost, Outcome::kNotDone};
    case grpc::StatusCode::INVALID_ARGUMENT:
      return {ErrorCode::kArgumentError, Outcome::kNotDone};
    case grpc::StatusCode::OUT_OF_RANGE:
      return {ErrorCode::kArgumentOutOfRange, Outcome::kNotDone};
    default:
      return {ErrorCode::kGeneralError, Outcome::kUnknown};
  }
}

std::optional<ErrorCode> CodeOf(const std::string& reason) {
  for (const ErrorCode code : kAllErrorCodes) {
    if (code != ErrorCode::kOk && ReasonOf(code) == reason) return code;
  }
  return std::nullopt;
}

std::optional<Judgement> JudgementOfBroker(const google::rpc::Status& status) {
  for (const google::protobuf::Any& detail : status.details()) {
    google::rpc::ErrorInfo info;
    if (!detail.UnpackTo(&info) || info.domain() != "wharf") continue;
    const auto outcome = info.metadata().find("outcome");
    const bool unknown = outcome != info.metadata().end() && outcome->second == "unknown";
    return Judgement{.code = CodeOf(info.reason()).value_or(ErrorCode::kGeneralError),
                     .outcome = unknown ? Outcome::kUnknown : Outcome::kNotDone};
  }
  return std::nullopt;
}

}  // namespace

Status ToStatus(const google::rpc::Status& status) {
  if (status.code() == grpc::StatusCode::OK) return Status::Ok();
  const Judgement judgement = JudgementOfBroker(status).value_or(Judge(status.code()));
  return {judgement.code, status.message(), judgement.outcome};
}

Status ToStatus(const grpc::Status& status) {
  if (status.ok()) return Status::Ok();
  google::rpc::Status detailed;
  if (!detailed.ParseFromString(status.error_details())) detailed.clear_details();
  detailed.set_code(status.error_code());
  detailed.set_message(status.error_message());
  return ToStatus(detailed);
}

}  // namespace wharf::client
