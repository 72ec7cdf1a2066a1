#include "tools/client/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "google/rpc/error_details.pb.h"

namespace wharf::client {
namespace {

// What an error means.
struct Judgement {
  ErrorCode code;
  Outcome outcome;
  // Empty: what it says itself.
  std::string_view sentence = {};
  // Who leads instead; empty: it does not say.
  std::string leader = {};
};

// What gRPC says of a call for which it had no connection: nothing of it was sent.
constexpr std::string_view kNeverConnected = "failed to connect to all addresses";
// What a broker's gRPC answers to what comes while it closes connections, and was never taken. Of a
// call that it cut off it says "Cancelled on the server side".
constexpr std::string_view kNeverTaken = "CANCELLED";

// One that does not come from the broker but from gRPC, whose words are not for people.
Judgement Judge(int code, std::string_view message) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
      if (message.starts_with(kNeverConnected)) {
        return {ErrorCode::kServiceCommunicationProblem, Outcome::kNotDone,
                "no broker can be reached"};
      }
      return {ErrorCode::kServiceCommunicationProblem, Outcome::kUnknown,
              "the connection to the broker broke"};
    case grpc::StatusCode::CANCELLED:
      if (message == kNeverTaken) {
        return {ErrorCode::kServiceCommunicationProblem, Outcome::kNotDone,
                "the broker stopped before it took this; ask again when it runs"};
      }
      return {ErrorCode::kServiceCommunicationProblem, Outcome::kUnknown,
              "the broker ended the call: it stops, or others waited for the room of its answer"};
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return {ErrorCode::kServiceTimeout, Outcome::kUnknown, "the broker did not answer in time"};
    case grpc::StatusCode::UNIMPLEMENTED:
      return {ErrorCode::kNotImplemented, Outcome::kNotDone,
              "the broker does not know this request: it is of another version, or no wharfd"};
    case grpc::StatusCode::NOT_FOUND:
      return {ErrorCode::kMessagingEntityNotFound, Outcome::kNotDone};
    case grpc::StatusCode::ALREADY_EXISTS:
      return {ErrorCode::kMessagingEntityAlreadyExists, Outcome::kNotDone};
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return {ErrorCode::kQuotaExceeded, Outcome::kNotDone,
              "the request, or its answer, is larger than a connection takes"};
    case grpc::StatusCode::FAILED_PRECONDITION:
      return {ErrorCode::kInvalidOperation, Outcome::kNotDone};
    case grpc::StatusCode::ABORTED:
      return {ErrorCode::kMessageLockLost, Outcome::kNotDone};
    case grpc::StatusCode::UNAUTHENTICATED:
      return {ErrorCode::kUnauthorized, Outcome::kNotDone};
    case grpc::StatusCode::PERMISSION_DENIED:
      return {ErrorCode::kForbidden, Outcome::kNotDone};
    case grpc::StatusCode::INVALID_ARGUMENT:
      return {ErrorCode::kArgumentError, Outcome::kNotDone};
    case grpc::StatusCode::OUT_OF_RANGE:
      return {ErrorCode::kArgumentOutOfRange, Outcome::kNotDone};
    default:
      return {ErrorCode::kGeneralError, Outcome::kUnknown,
              "the connection to the broker failed: is it a wharfd that listens there?"};
  }
}

std::optional<ErrorCode> CodeOf(const std::string& reason) {
  for (const ErrorCode code : kAllErrorCodes) {
    if (code != ErrorCode::kOk && ReasonOf(code) == reason) return code;
  }
  return std::nullopt;
}

std::string ValueOf(const google::rpc::ErrorInfo& info, const char* key) {
  const auto found = info.metadata().find(key);
  return found == info.metadata().end() ? "" : found->second;
}

std::optional<Judgement> JudgementOfBroker(const google::rpc::Status& status) {
  for (const google::protobuf::Any& detail : status.details()) {
    google::rpc::ErrorInfo info;
    if (!detail.UnpackTo(&info) || info.domain() != "wharf") continue;
    const bool unknown = ValueOf(info, "outcome") == "unknown";
    return Judgement{.code = CodeOf(info.reason()).value_or(ErrorCode::kGeneralError),
                     .outcome = unknown ? Outcome::kUnknown : Outcome::kNotDone,
                     .leader = ValueOf(info, "leader")};
  }
  return std::nullopt;
}

}  // namespace

Status ToStatus(const google::rpc::Status& status) {
  if (status.code() == grpc::StatusCode::OK) return Status::Ok();
  const Judgement judgement =
      JudgementOfBroker(status).value_or(Judge(status.code(), status.message()));
  std::string sentence =
      judgement.sentence.empty() ? status.message() : std::string(judgement.sentence);
  const bool is_elsewhere =
      judgement.code == ErrorCode::kPartitionNotOwned && judgement.outcome == Outcome::kNotDone;
  if (is_elsewhere) return Status::NotOwned(judgement.leader, std::move(sentence));
  return {judgement.code, std::move(sentence), judgement.outcome};
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
