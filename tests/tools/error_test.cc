#include "tools/client/error.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"

namespace wharf::client {
namespace {

google::rpc::Status BrokerError(int code, const std::string& reason, const std::string& outcome) {
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason(reason);
  (*info.mutable_metadata())["outcome"] = outcome;
  google::rpc::Status status;
  status.set_code(code);
  status.set_message("what went wrong");
  status.add_details()->PackFrom(info);
  return status;
}

TEST(ErrorTest, EveryReasonOfTheBrokerComesBack) {
  for (const ErrorCode code : kAllErrorCodes) {
    if (code == ErrorCode::kOk) continue;
    const auto error =
        BrokerError(grpc::StatusCode::INTERNAL, std::string(ReasonOf(code)), "not-done");

    EXPECT_EQ(ToStatus(error), Status(code, "what went wrong"));
  }
}

TEST(ErrorTest, WhoLeadsInsteadComesBack) {  // ERR-26
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason("PartitionNotOwned");
  (*info.mutable_metadata())["outcome"] = "not-done";
  (*info.mutable_metadata())["leader"] = "n2:5681";
  google::rpc::Status error;
  error.set_code(grpc::StatusCode::UNAVAILABLE);
  error.add_details()->PackFrom(info);

  EXPECT_EQ(ToStatus(error).code(), ErrorCode::kPartitionNotOwned);
  EXPECT_EQ(ToStatus(error).leader(), "n2:5681");
}

TEST(ErrorTest, UnknownOutcomeComesBack) {
  const auto error = BrokerError(grpc::StatusCode::UNAVAILABLE, "ServiceBusy", "unknown");

  EXPECT_EQ(ToStatus(error).outcome(), Outcome::kUnknown);
}

TEST(ErrorTest, DetailsOfACallAreRead) {
  const auto error = BrokerError(grpc::StatusCode::ABORTED, "MessageLockLost", "not-done");
  const grpc::Status call(grpc::StatusCode::ABORTED, "what went wrong", error.SerializeAsString());

  EXPECT_EQ(ToStatus(call), Status(ErrorCode::kMessageLockLost, "what went wrong"));
}

TEST(ErrorTest, ABrokenConnectionLeavesTheOutcomeUnknown) {
  const Status status = ToStatus(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection reset"));

  EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(status.outcome(), Outcome::kUnknown);
}

TEST(ErrorTest, WhatNeverHadAConnectionIsNotDone) {
  const Status status = ToStatus(grpc::Status(
      grpc::StatusCode::UNAVAILABLE,
      "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to "
      "connect to remote host: Connection refused"));

  EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(status.outcome(), Outcome::kNotDone);
  EXPECT_EQ(status.message(), "no broker can be reached");
}

TEST(ErrorTest, WhatCameWhileTheBrokerClosedItsConnectionsIsNotDone) {
  const Status status = ToStatus(grpc::Status(grpc::StatusCode::CANCELLED, "CANCELLED"));

  EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(status.outcome(), Outcome::kNotDone);
}

// It was taken, perhaps, and its receipt is lost.
TEST(ErrorTest, WhatTheBrokerCutOffLeavesTheOutcomeUnknown) {
  const Status status =
      ToStatus(grpc::Status(grpc::StatusCode::CANCELLED, "Cancelled on the server side"));

  EXPECT_EQ(status.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(status.outcome(), Outcome::kUnknown);
}

TEST(ErrorTest, WhatTheBrokerRefusedBeforeItCutOffIsNotDone) {
  const auto error =
      BrokerError(grpc::StatusCode::CANCELLED, "ServiceCommunicationProblem", "not-done");
  const grpc::Status call(grpc::StatusCode::CANCELLED, "CANCELLED", error.SerializeAsString());

  EXPECT_EQ(ToStatus(call).outcome(), Outcome::kNotDone);
}

TEST(ErrorTest, AMissedDeadlineLeavesTheOutcomeUnknown) {
  const Status status = ToStatus(grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "too slow"));

  EXPECT_EQ(status.code(), ErrorCode::kServiceTimeout);
  EXPECT_EQ(status.outcome(), Outcome::kUnknown);
}

TEST(ErrorTest, NoWordsOfGrpcReachPeople) {
  for (const auto code : {grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::CANCELLED,
                          grpc::StatusCode::DEADLINE_EXCEEDED, grpc::StatusCode::UNIMPLEMENTED,
                          grpc::StatusCode::RESOURCE_EXHAUSTED, grpc::StatusCode::INTERNAL,
                          grpc::StatusCode::UNKNOWN}) {
    const Status status = ToStatus(grpc::Status(code, "Cancelling all calls"));

    EXPECT_EQ(status.message().find("ancelling"), std::string::npos) << code;
    EXPECT_FALSE(status.message().empty()) << code;
  }
}

TEST(ErrorTest, AReasonFromTheFutureIsAGeneralError) {
  const auto error = BrokerError(grpc::StatusCode::INTERNAL, "SomethingNew", "not-done");

  EXPECT_EQ(ToStatus(error).code(), ErrorCode::kGeneralError);
}

}  // namespace
}  // namespace wharf::client
