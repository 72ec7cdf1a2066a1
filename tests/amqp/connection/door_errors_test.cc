#include "broker/doors/amqp/connection/door_errors.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/frame_writer.h"

namespace wharf::amqp {
namespace {

using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(DoorErrorsTest, EachReasonHasAConditionAndANumber) {
  for (const ErrorCode code : kAllErrorCodes) {
    if (code == ErrorCode::kOk) continue;
    EXPECT_THAT(std::string(ConditionOf(code)),
                ::testing::AnyOf(StartsWith("amqp:"), StartsWith("com.microsoft:")));
    EXPECT_GE(StatusNumberOf(code), 400);
  }
  EXPECT_EQ(ConditionOf(ErrorCode::kMessageLockLost), "com.microsoft:message-lock-lost");
  EXPECT_EQ(StatusNumberOf(ErrorCode::kServiceBusy), 503);
}

// A client matches these words.
TEST(DoorErrorsTest, AnEntityThatIsMissingIsToldInTheWordsOfServiceBus) {  // ENC-8
  const std::string text = DescriptionOf({ErrorCode::kMessagingEntityNotFound, "not there"},
                                         {.entity = "q", .tracking_id = NewTrackingId()});

  EXPECT_THAT(text, StartsWith("The messaging entity 'q' could not be found. To know more visit "
                               "https://aka.ms/sbResourceMgrExceptions. TrackingId:"));
  EXPECT_THAT(text, MatchesRegex(".* TrackingId:[0-9a-f-]{36}, SystemTracker:wharf:q, "
                                 "Timestamp:1970-01-01T00:00:00.000000Z"));
}

TEST(DoorErrorsTest, WhateverIsSaidFitsTheSmallestFrame) {
  Detach detach;
  detach.error = ErrorOf({ErrorCode::kSessionCannotBeLocked, std::string(5000, 'x')},
                         {.entity = std::string(5000, 'y'), .tracking_id = NewTrackingId()});
  FrameWriter writer;

  writer.Write(0, detach);

  EXPECT_FALSE(writer.has_refused());
}

}  // namespace
}  // namespace wharf::amqp
