#include "broker/doors/http/console/api_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "broker/doors/grpc/errors.h"

namespace wharf::console {
namespace {

using nlohmann::json;

std::string Field(const HttpResponse& response, std::string_view name) {
  const std::string* const value = FindField(response.fields, name);
  return value == nullptr ? "" : *value;
}

TEST(ApiAnswerTest, EachCodeOfGrpcHasOneOfHttp) {
  EXPECT_EQ(ApiCodeOf(0).http, 200U);
  for (int grpc = 1; grpc <= 16; ++grpc) {
    EXPECT_EQ(ApiCodeOf(grpc).grpc, grpc);
    EXPECT_GE(ApiCodeOf(grpc).http, 400U);
  }
  EXPECT_EQ(ApiCodeOf(17).name, "UNKNOWN");
  EXPECT_EQ(ApiCodeOf(-1).name, "UNKNOWN");
  EXPECT_EQ(ApiCodeOf(16).http, 401U);
  EXPECT_EQ(ApiCodeOf(7).http, 403U);
}

TEST(ApiAnswerTest, WhatIsFoundHereHasTheCodeThatGrpcWouldHave) {
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kArgumentError, ErrorCode::kMessageSizeExceeded,
        ErrorCode::kInvalidOperation, ErrorCode::kServiceBusy,
        ErrorCode::kServiceCommunicationProblem, ErrorCode::kPartitionNotOwned,
        ErrorCode::kForbidden, ErrorCode::kUnauthorized, ErrorCode::kGeneralError}) {
    EXPECT_EQ(ApiCodeOf(code).grpc, GrpcCodeOf(code)) << ReasonOf(code);
  }
}

// Every error of the gRPC door keeps what it says.
TEST(ApiAnswerTest, AnErrorOfACallKeepsItsDetails) {
  const TrackingId id = NewTrackingId();
  for (const ErrorCode code : kAllErrorCodes) {
    if (code == ErrorCode::kOk) continue;
    const Status status(code, "it did not work", Outcome::kUnknown);
    const grpc::Status told = ToGrpc(status, {.entity_path = "orders", .tracking_id = id});

    const HttpResponse response =
        ErrorAnswer(InnerCalls::Answer{.code = static_cast<int>(told.error_code()),
                                       .message = told.error_message(),
                                       .details = told.error_details()},
                    id);

    const json error = json::parse(response.body)["error"];
    EXPECT_EQ(error["code"], std::string(ReasonOf(code)));
    EXPECT_EQ(error["message"], "it did not work");
    EXPECT_EQ(error["entityPath"], "orders");
    EXPECT_EQ(error["isTransient"], IsTransient(code));
    EXPECT_EQ(error["outcome"], "unknown");
    EXPECT_EQ(error["trackingId"], ToString(id));
    EXPECT_EQ(Field(response, "Retry-After"), response.status == 503 ? "1" : "");
  }
}

TEST(ApiAnswerTest, WhatGrpcItselfSaysLeavesTheOutcomeOpen) {
  const json error =
      json::parse(ErrorAnswer(InnerCalls::Answer{.code = 4, .message = "late"}, {}).body)["error"];
  EXPECT_EQ(error["status"], "DEADLINE_EXCEEDED");
  EXPECT_EQ(error["outcome"], "unknown");
}

TEST(ApiAnswerTest, ABrowserIsToldWhatItMustNotDo) {
  const HttpResponse response = ForBrowsers(JsonAnswer("{}"));
  EXPECT_EQ(Field(response, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(Field(response, "X-Frame-Options"), "DENY");
  EXPECT_EQ(Field(response, "Cache-Control"), "no-store");
  EXPECT_THAT(Field(response, "Content-Security-Policy"),
              ::testing::AllOf(::testing::HasSubstr("default-src 'none'"),
                               ::testing::HasSubstr("frame-ancestors 'none'")));
}

}  // namespace
}  // namespace wharf::console
