#include "broker/doors/http/servicebus/error_answer.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Row(ErrorCode code, ErrorPlane plane) {
  const HttpError error = HttpErrorOf(code, plane);
  return std::to_string(error.status) + ' ' + std::to_string(error.sub_code);
}

// ERR-1 to ERR-27, the column "HTTP".
TEST(ErrorAnswerTest, EachReasonHasAStatusAndASubCode) {
  for (const ErrorCode code : kAllErrorCodes) {
    if (code == ErrorCode::kOk) continue;
    for (const ErrorPlane plane : {ErrorPlane::kMessages, ErrorPlane::kManagement}) {
      const HttpError error = HttpErrorOf(code, plane);
      EXPECT_GE(error.status, 400U) << ReasonOf(code);
      EXPECT_EQ(error.sub_code / 10000, error.status / 100) << ReasonOf(code);
      // What a client may try again says so.
      if (code == ErrorCode::kServiceBusy) {
        EXPECT_EQ(error.status, 503U);
      }
      if (error.status == 503) {
        EXPECT_TRUE(IsTransient(code)) << ReasonOf(code);
      }
    }
  }
  EXPECT_EQ(Row(ErrorCode::kMessagingEntityNotFound, ErrorPlane::kMessages), "410 41000");
  EXPECT_EQ(Row(ErrorCode::kMessagingEntityNotFound, ErrorPlane::kManagement), "404 40400");
  EXPECT_EQ(Row(ErrorCode::kMessageLockLost, ErrorPlane::kMessages), "404 40400");
  EXPECT_EQ(Row(ErrorCode::kQuotaExceeded, ErrorPlane::kMessages), "403 40300");
  EXPECT_EQ(Row(ErrorCode::kMessageSizeExceeded, ErrorPlane::kMessages), "403 40300");
  EXPECT_EQ(Row(ErrorCode::kMessagingEntityDisabled, ErrorPlane::kMessages), "403 40301");
  EXPECT_EQ(Row(ErrorCode::kInvalidOperation, ErrorPlane::kMessages), "400 40000");
  EXPECT_EQ(Row(ErrorCode::kInvalidOperation, ErrorPlane::kManagement), "403 40301");
  EXPECT_EQ(Row(ErrorCode::kMessagingEntityAlreadyExists, ErrorPlane::kManagement), "409 40900");
  EXPECT_EQ(Row(ErrorCode::kServiceBusy, ErrorPlane::kMessages), "503 50004");
  EXPECT_EQ(Row(ErrorCode::kForbidden, ErrorPlane::kMessages), "401 40100");
}

TEST(ErrorAnswerTest, ABodySaysWhyAndWhoSearchesFindsIt) {
  const TrackingId id = NewTrackingId();
  const HttpResponse answer =
      ErrorAnswer({ErrorCode::kMessagingEntityNotFound, "there is no queue 'a<b'"},
                  {.entity = "a<b\x01/messages", .tracking_id = id, .at = Timestamp()});

  EXPECT_EQ(answer.status, 410U);
  EXPECT_EQ(answer.type, "application/xml; charset=utf-8");
  EXPECT_EQ(
      answer.body,
      "<Error><Code>410</Code><Detail>SubCode=41000. there is no queue 'a&lt;b'. TrackingId:" +
          ToString(id) +
          ", SystemTracker:wharf:a&lt;b?/messages, "
          "Timestamp:1970-01-01T00:00:00.000000Z</Detail></Error>");
}

TEST(ErrorAnswerTest, WhatHasToWaitHearsForHowLong) {
  const HttpResponse busy = ErrorAnswer({ErrorCode::kServiceBusy, "busy"}, {});
  EXPECT_EQ(*FindField(busy.fields, "retry-after"), "1");
  const HttpResponse elsewhere = ErrorAnswer(Status::NotOwned("b:1", "it is elsewhere"), {});
  EXPECT_EQ(elsewhere.status, 503U);
  EXPECT_EQ(*FindField(elsewhere.fields, "Retry-After"), "1");
  EXPECT_EQ(FindField(ErrorAnswer({ErrorCode::kQuotaExceeded, "full"}, {}).fields, "Retry-After"),
            nullptr);
}

TEST(ErrorAnswerTest, WhatIsWrongWithHttpItselfSoundsTheSame) {
  EXPECT_THAT(ErrorAnswer(431, "the header is too long", {}).body,
              StartsWith("<Error><Code>431</Code><Detail>SubCode=40000. the header is too long."));
  EXPECT_EQ(ErrorAnswer(413, "the body is too long", {}).status, 403U);
}

// Semantics 25: 40500 and what follows it mean something else.
TEST(ErrorAnswerTest, NoStatusOfHttpHasASubCodeThatMeansSomethingElse) {
  for (const unsigned status : {400U, 403U, 404U, 405U, 412U, 413U, 417U, 426U, 431U, 500U, 503U}) {
    const unsigned sub_code = HttpErrorOf(status).sub_code;
    const bool is_known = sub_code == 40000 || sub_code == 40300 || sub_code == 40400 ||
                          sub_code == 40900 || sub_code == 50000 || sub_code == 50004;
    EXPECT_TRUE(is_known) << status << ' ' << sub_code;
    EXPECT_EQ(sub_code / 10000, status / 100);
  }
}

TEST(ErrorAnswerTest, FieldsAreNamedAsClientsOfHttpWriteThem) {
  const auto body = [](std::string why) {
    return ErrorAnswer(Status(ErrorCode::kArgumentError, std::move(why)), {}).body;
  };
  EXPECT_THAT(body("message 2: time_to_live must be more than zero"),
              HasSubstr("message 2: TimeToLive must be more than zero"));
  EXPECT_THAT(body("partition_key and session_id must be equal when both are set"),
              HasSubstr("PartitionKey and SessionId must be equal"));
  EXPECT_THAT(body("reply_to_session_id is longer than 128 characters"),
              HasSubstr(" ReplyToSessionId is"));
  EXPECT_THAT(body("there is no queue 'message_id', nor my_message_id"),
              HasSubstr("'message_id', nor my_message_id"));
}

TEST(ErrorAnswerTest, AnErrorHasADate) {
  const HttpResponse answer = ErrorAnswer({ErrorCode::kGeneralError, "it"}, {.at = Timestamp()});
  EXPECT_EQ(*FindField(answer.fields, "Date"), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ErrorAnswerTest, TextThatIsNoneIsNoXmlEither) {
  EXPECT_EQ(XmlText("a&b<c>d"), "a&amp;b&lt;c&gt;d");
  EXPECT_EQ(XmlText("ä€😀"), "ä€😀");
  EXPECT_EQ(XmlText("\xC3"), "?");
  EXPECT_EQ(XmlText("\xC0\x80"), "??");
  EXPECT_EQ(XmlText("\xED\xA0\x80"), "???");
  EXPECT_EQ(XmlText(std::string("\0\r\n\x7F", 4)), "????");
  EXPECT_EQ(XmlText("\xEF\xBF\xBE"), "???");
}

}  // namespace
}  // namespace wharf
