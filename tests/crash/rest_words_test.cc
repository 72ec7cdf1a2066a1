// What the load hears over HTTP, of answers as the door writes them.
#include "tools/crash/rest/rest_words.h"

#include <gtest/gtest.h>

namespace wharf::crash {
namespace {

RestClient::Answer AnswerOf(unsigned status, const std::string& body = "") {
  RestClient::Answer answer;
  answer.result(status);
  answer.body() = body;
  return answer;
}

// RST-3, RST-10
TEST(RestWordsTest, AMessageIsWrittenDown) {
  RestClient::Answer answer = AnswerOf(201, "body");
  answer.set(
      "BrokerProperties",
      R"({"DeliveryCount":3,"MessageId":"7-9","SequenceNumber":12,"EnqueuedSequenceNumber":4,)"
      R"("EnqueuedTimeUtc":"Thu, 01 Jan 1970 00:00:07 GMT","State":"Active",)"
      R"("LockToken":"03020100-0504-0706-0809-0a0b0c0d0e0f",)"
      R"("LockedUntilUtc":"Thu, 01 Jan 1970 00:01:00 GMT"})");
  answer.set("mark", "5");
  answer.set("RedriveCount", "2");
  answer.set("DeadLetterReason", "\"drawn by lot\"");

  const Result<DeliveryRecord> delivery = DecodeDelivery(answer);
  ASSERT_TRUE(delivery.ok());
  EXPECT_EQ(delivery->id, (MessageId{7, 9}));
  EXPECT_EQ(delivery->body, DigestOf("body"));
  EXPECT_EQ(delivery->sequence_number, 12);
  EXPECT_EQ(delivery->first_number, 4);
  EXPECT_EQ(delivery->delivery_count, 2U);
  EXPECT_EQ(delivery->enqueued_at, Timestamp(std::chrono::seconds(7)));
  EXPECT_EQ(delivery->locked_until, Timestamp(std::chrono::seconds(60)));
  EXPECT_EQ(delivery->rounding, kHttpRounding);
  EXPECT_EQ(delivery->mark, 5);
  EXPECT_EQ(delivery->redrives, 2);
  EXPECT_EQ(delivery->reason, "drawn by lot");
  // As gRPC tells the same one.
  EXPECT_EQ(delivery->token, std::string("\0\1\2\3\4\5\6\7\x8\x9\xA\xB\xC\xD\xE\xF", 16));
}

TEST(RestWordsTest, ALockIsNamedAsItCame) {
  const std::string token("\0\1\2\3\4\5\6\7\x8\x9\xA\xB\xC\xD\xE\xF", 16);
  EXPECT_EQ(UseOf("q", token, LockVerb::kComplete).target(),
            "/q/messages/any/03020100-0504-0706-0809-0a0b0c0d0e0f");
}

TEST(RestWordsTest, AnAnswerWithoutAMessageIsAnError) {
  EXPECT_FALSE(DecodeDelivery(AnswerOf(201)).ok());
}

TEST(RestWordsTest, ARefusalSaysWhetherItMayBeDone) {
  const auto status = [](unsigned code, unsigned sub_code, Asked asked) {
    return StatusOf(AnswerOf(code, "<Error><Detail>SubCode=" + std::to_string(sub_code) + ". No"),
                    asked);
  };
  EXPECT_TRUE(StatusOf(AnswerOf(204), Asked::kReceive).ok());
  EXPECT_EQ(status(404, 40400, Asked::kLock).code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(status(404, 40400, Asked::kLock).outcome(), Outcome::kNotDone);
  EXPECT_EQ(status(403, 40300, Asked::kSend).code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(status(503, 50004, Asked::kSend).code(), ErrorCode::kServiceBusy);
  EXPECT_EQ(status(503, 50004, Asked::kSend).outcome(), Outcome::kNotDone);
  EXPECT_EQ(status(503, 50000, Asked::kSend).outcome(), Outcome::kUnknown);
  EXPECT_EQ(status(500, 50000, Asked::kSend).outcome(), Outcome::kUnknown);
}

}  // namespace
}  // namespace wharf::crash
