#include "broker/doors/grpc/errors.h"

#include <map>
#include <set>
#include <string>

#include <google/rpc/error_details.pb.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

// The column "gRPC" of semantics section 25.
const std::map<ErrorCode, grpc::StatusCode>& GrpcCodes() {
  static const std::map<ErrorCode, grpc::StatusCode> kCodes = {
      {ErrorCode::kOk, grpc::StatusCode::OK},
      {ErrorCode::kMessagingEntityNotFound, grpc::StatusCode::NOT_FOUND},            // ERR-1
      {ErrorCode::kMessagingEntityAlreadyExists, grpc::StatusCode::ALREADY_EXISTS},  // ERR-2
      {ErrorCode::kMessagingEntityDisabled, grpc::StatusCode::FAILED_PRECONDITION},  // ERR-3
      {ErrorCode::kMessageLockLost, grpc::StatusCode::ABORTED},                      // ERR-4
      {ErrorCode::kSessionLockLost, grpc::StatusCode::ABORTED},                      // ERR-5
      {ErrorCode::kSessionCannotBeLocked, grpc::StatusCode::FAILED_PRECONDITION},    // ERR-6
      {ErrorCode::kMessageNotFound, grpc::StatusCode::NOT_FOUND},                    // ERR-7
      {ErrorCode::kMessageSizeExceeded, grpc::StatusCode::INVALID_ARGUMENT},         // ERR-8
      {ErrorCode::kQuotaExceeded, grpc::StatusCode::RESOURCE_EXHAUSTED},             // ERR-9
      {ErrorCode::kServiceBusy, grpc::StatusCode::UNAVAILABLE},                      // ERR-10
      {ErrorCode::kServiceTimeout, grpc::StatusCode::DEADLINE_EXCEEDED},             // ERR-11
      {ErrorCode::kGeneralError, grpc::StatusCode::INTERNAL},                        // ERR-12
      {ErrorCode::kServiceCommunicationProblem, grpc::StatusCode::UNAVAILABLE},      // ERR-13
      {ErrorCode::kPartitionNotOwned, grpc::StatusCode::UNAVAILABLE},                // ERR-26
      {ErrorCode::kInvalidOperation, grpc::StatusCode::FAILED_PRECONDITION},         // ERR-14
      {ErrorCode::kArgumentError, grpc::StatusCode::INVALID_ARGUMENT},               // ERR-15
      {ErrorCode::kArgumentOutOfRange, grpc::StatusCode::OUT_OF_RANGE},              // ERR-16
      {ErrorCode::kUnauthorized, grpc::StatusCode::UNAUTHENTICATED},                 // ERR-17
      {ErrorCode::kForbidden, grpc::StatusCode::PERMISSION_DENIED},                  // ERR-18
      {ErrorCode::kNotImplemented, grpc::StatusCode::UNIMPLEMENTED},                 // ERR-19
      {ErrorCode::kNoMatchingSubscription, grpc::StatusCode::FAILED_PRECONDITION},   // ERR-20
      {ErrorCode::kFilterException, grpc::StatusCode::INVALID_ARGUMENT},             // ERR-21
      {ErrorCode::kRuleActionException, grpc::StatusCode::INVALID_ARGUMENT},         // ERR-21
      {ErrorCode::kTransactionSizeExceeded, grpc::StatusCode::RESOURCE_EXHAUSTED},   // ERR-22
      {ErrorCode::kTransactionUnknown, grpc::StatusCode::FAILED_PRECONDITION},       // ERR-23
      {ErrorCode::kTransactionAborted, grpc::StatusCode::ABORTED},                   // ERR-24
  };
  return kCodes;
}

google::rpc::ErrorInfo InfoOf(const google::rpc::Status& proto) {
  google::rpc::ErrorInfo info;
  EXPECT_GE(proto.details_size(), 1);
  EXPECT_TRUE(proto.details(0).UnpackTo(&info));
  return info;
}

TEST(ErrorsTest, EveryCodeHasItsGrpcCode) {
  for (const ErrorCode code : kAllErrorCodes) {
    ASSERT_TRUE(GrpcCodes().contains(code)) << ReasonOf(code);
    EXPECT_EQ(GrpcCodeOf(code), GrpcCodes().at(code)) << ReasonOf(code);
  }
  EXPECT_EQ(std::size(kAllErrorCodes), GrpcCodes().size());
}

TEST(ErrorsTest, EveryCodeIsInTheListOfAllCodes) {
  int number = 0;
  for (const ErrorCode code : kAllErrorCodes) EXPECT_EQ(static_cast<int>(code), number++);
  // The one behind the last has no reason of its own.
  EXPECT_EQ(ReasonOf(static_cast<ErrorCode>(number)), "GeneralError");
}

TEST(ErrorsTest, EveryCodeHasAReasonOfItsOwn) {
  std::set<std::string_view> reasons;
  for (const ErrorCode code : kAllErrorCodes) {
    EXPECT_FALSE(ReasonOf(code).empty());
    EXPECT_TRUE(reasons.insert(ReasonOf(code)).second) << ReasonOf(code);
  }
}

TEST(ErrorsTest, EveryErrorSaysWhatWhereAndWhetherToTryAgain) {  // SND-2
  for (const ErrorCode code : kAllErrorCodes) {
    if (code == ErrorCode::kOk) continue;
    const google::rpc::Status proto =
        ToProto(Status(code, "what happened"), {"orders", NewTrackingId()});
    const google::rpc::ErrorInfo info = InfoOf(proto);

    EXPECT_EQ(proto.code(), GrpcCodeOf(code));
    EXPECT_EQ(proto.message(), "what happened");
    EXPECT_EQ(info.domain(), "wharf");
    EXPECT_EQ(info.reason(), ReasonOf(code));
    EXPECT_EQ(info.metadata().at("entity_path"), "orders");
    EXPECT_EQ(info.metadata().at("is_transient"), IsTransient(code) ? "true" : "false");
    EXPECT_EQ(info.metadata().at("outcome"), "not-done");
    EXPECT_EQ(info.metadata().at("tracking_id").size(), 36U);
  }
}

TEST(ErrorsTest, TryingAgainHelpsWhereTheTableSays) {  // SND-2, ERR-6
  const std::set<ErrorCode> transient = {ErrorCode::kSessionCannotBeLocked,
                                         ErrorCode::kServiceBusy,
                                         ErrorCode::kServiceTimeout,
                                         ErrorCode::kGeneralError,
                                         ErrorCode::kServiceCommunicationProblem,
                                         ErrorCode::kPartitionNotOwned};
  for (const ErrorCode code : kAllErrorCodes) {
    EXPECT_EQ(IsTransient(code), transient.contains(code)) << ReasonOf(code);
  }
}

TEST(ErrorsTest, AnUnknownOutcomeIsToldAsSuch) {  // SND-2
  const Status status(ErrorCode::kServiceCommunicationProblem, "gone", Outcome::kUnknown);

  EXPECT_EQ(InfoOf(ToProto(status, {})).metadata().at("outcome"), "unknown");
}

TEST(ErrorsTest, WhoDoesNotLeadNamesWhoDoesIfItKnows) {  // ERR-26
  const auto known = InfoOf(ToProto(Status::NotOwned("n2:5681", "n2 leads"), {}));
  const auto unknown = InfoOf(ToProto(Status::NotOwned("", "nobody leads"), {}));

  EXPECT_EQ(known.metadata().at("leader"), "n2:5681");
  EXPECT_FALSE(unknown.metadata().contains("leader"));
}

TEST(ErrorsTest, AnErrorNamesTheRequestThatFailed) {  // SND-2
  const Status status(ErrorCode::kGeneralError, "x");
  const TrackingId id = NewTrackingId();

  EXPECT_EQ(InfoOf(ToProto(status, {"orders", id})).metadata().at("tracking_id"), ToString(id));
}

TEST(ErrorsTest, EveryRequestHasATrackingIdOfItsOwn) {  // SND-2
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(ToString(NewTrackingId()));

  EXPECT_EQ(ids.size(), 100U);
  for (const std::string& id : ids) EXPECT_EQ(id.size(), 36U);
}

TEST(ErrorsTest, WhoIsTooBusySaysWhenToComeBack) {  // ERR-10, QUO-11
  for (const ErrorCode code : kAllErrorCodes) {
    const google::rpc::Status proto = ToProto(Status(code, "x"), {});
    google::rpc::RetryInfo retry;
    const bool has_retry = proto.details_size() == 2 && proto.details(1).UnpackTo(&retry);
    EXPECT_EQ(has_retry, code == ErrorCode::kServiceBusy);
    EXPECT_EQ(retry.retry_delay().seconds() > 0, has_retry);
  }
}

TEST(ErrorsTest, WhatAClientWroteItselfIsCut) {
  const std::string long_text(3 << 20, 'n');
  const google::rpc::Status proto =
      ToProto(Status(ErrorCode::kArgumentError, long_text), {long_text});

  // The trailers of a call hold 8 KiB, of which the message takes its part twice.
  EXPECT_LT(proto.message().size() + proto.SerializeAsString().size(), 4096U);
  EXPECT_TRUE(proto.message().ends_with("n..."));
  EXPECT_EQ(proto.message().size(), 1024U);
  EXPECT_TRUE(InfoOf(proto).metadata().at("entity_path").ends_with("n..."));
}

TEST(ErrorsTest, ACallFailsWithTheSameDetails) {
  const grpc::Status status = ToGrpc(Status(ErrorCode::kMessageLockLost, "lost"), {"orders"});

  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(status.error_message(), "lost");
  google::rpc::Status proto;
  ASSERT_TRUE(proto.ParseFromString(status.error_details()));
  EXPECT_EQ(InfoOf(proto).reason(), "MessageLockLost");
  EXPECT_TRUE(ToGrpc(Status::Ok(), {"orders"}).ok());
}

}  // namespace
}  // namespace wharf
