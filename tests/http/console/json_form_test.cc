// What JSON is taken for a request, and what is refused, with its place.
#include "broker/doors/http/console/json_form.h"

#include <string>

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <wharf/v1/management.pb.h>
#include <wharf/v1/messaging.pb.h>

#include "broker/doors/http/console/json_check.h"

namespace wharf::console {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename Message>
Message Read(const std::string& json) {
  Message message;
  const Result<std::string> bytes = BytesOfJson(json, *Message::descriptor());
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  EXPECT_TRUE(bytes.ok() && message.ParseFromString(*bytes));
  return message;
}

// Why it is refused; "" if it is not.
template <typename Message = v1::SendRequest>
std::string WhyNot(const std::string& json) {
  const Result<std::string> bytes = BytesOfJson(json, *Message::descriptor());
  EXPECT_TRUE(bytes.ok() || bytes.status().code() == ErrorCode::kArgumentError);
  return bytes.ok() ? "" : bytes.status().message();
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonFormTest, ARequestMayHaveTheNamesOfJsonOrThoseOfTheProto) {
  const auto camel = Read<v1::ReceiveRequest>(R"({"entityPath": "q", "maxMessages": 2})");
  const auto snake = Read<v1::ReceiveRequest>(R"({"entity_path": "q", "max_messages": "2"})");

  EXPECT_EQ(camel.entity_path(), "q");
  EXPECT_EQ(camel.max_messages(), 2U);
  EXPECT_EQ(snake.SerializeAsString(), camel.SerializeAsString());
}

// What the parser makes of a mask must not grow with the square of it.
TEST(JsonFormTest, AMaskIsNamesOfFields) {
  EXPECT_EQ(WhyNot<v1::UpdateQueueRequest>(R"({"updateMask": "lockDuration,max_delivery_count"})"),
            "");
  for (const std::string& bad :
       {Repeated("a(", 1000), std::string(5000, 'a'), std::string("a b")}) {
    EXPECT_THAT(WhyNot<v1::UpdateQueueRequest>(absl::StrCat(R"({"updateMask": ")", bad, "\"}")),
                StartsWith("updateMask: this is names of fields"));
  }
}

TEST(JsonFormTest, AWholeNumberIsNotRounded) {
  const auto with = [](const char* number) {
    return absl::StrCat(R"({"entityPath": "q", "sequenceNumbers": [)", number, "]}");
  };
  EXPECT_EQ(WhyNot<v1::ReceiveDeferredRequest>(with("9007199254740993")), "");
  EXPECT_EQ(WhyNot<v1::ReceiveDeferredRequest>(with("2.0")), "");
  for (const char* bad : {"9007199254740993.0", "-9223372036854775809", "1.5", "1e30"}) {
    EXPECT_THAT(WhyNot<v1::ReceiveDeferredRequest>(with(bad)), HasSubstr("whole number")) << bad;
  }
}

TEST(JsonFormTest, NoTextIsARequestWithoutFields) {
  EXPECT_EQ(Read<v1::ReceiveRequest>("").ByteSizeLong(), 0U);
  EXPECT_EQ(Read<v1::ReceiveRequest>("{}").ByteSizeLong(), 0U);
}

TEST(JsonFormTest, AMessageGoesThereAndBack) {
  const auto request = Read<v1::SendRequest>(
      R"({"entityPath": "q", "messages": [{"body": "AP8=", "timeToLive": "1.5s",
          "applicationProperties": {"n": {"int64Value": "9007199254740993"}, "t": {"timestampValue":
          "1970-01-01T00:00:10Z"}}}]})");

  ASSERT_EQ(request.messages_size(), 1);
  const v1::Message& message = request.messages(0);
  EXPECT_EQ(message.body(), std::string("\x00\xff", 2));
  EXPECT_EQ(message.time_to_live().nanos(), 500'000'000);
  EXPECT_EQ(message.application_properties().at("n").int64_value(), 9007199254740993);
  EXPECT_EQ(message.application_properties().at("t").timestamp_value().seconds(), 10);
  const Result<std::string> json =
      JsonOfBytes(request.SerializeAsString(), *v1::SendRequest::descriptor());
  ASSERT_TRUE(json.ok());
  EXPECT_TRUE(MessageDifferencer::Equals(Read<v1::SendRequest>(*json), request));
}

TEST(JsonFormTest, WhatHasItsDefaultIsWritten) {
  const Result<std::string> json = JsonOfBytes("", *v1::PurgeResponse::descriptor());
  ASSERT_TRUE(json.ok());
  EXPECT_THAT(*json, HasSubstr(R"(:"0")"));
}

TEST(JsonFormTest, WhatIsNoFieldIsNamedWithItsPlace) {
  EXPECT_EQ(WhyNot(R"({"entityPath": "q", "bogus": 1})"), "bogus: there is no such field");
  EXPECT_EQ(WhyNot(R"({"messages": [{}, {"bodi": "eA=="}]})"),
            "messages[1].bodi: there is no such field");
  EXPECT_EQ(WhyNot(R"({"messages": [{"applicationProperties": {"a b": {"what": 1}}}]})"),
            R"(messages[0].applicationProperties["a b"].what: there is no such field)");
}

TEST(JsonFormTest, AValueOfAnotherTypeIsNamedWithItsPlace) {
  EXPECT_EQ(WhyNot(R"({"entityPath": 5})"), "entityPath: this is a text, in quotes");
  EXPECT_EQ(WhyNot(R"({"entityPath": ["q"]})"), "entityPath: this is no list");
  EXPECT_EQ(WhyNot(R"({"entityPath": {"q": 1}})"), "entityPath: this is no object");
  EXPECT_EQ(WhyNot(R"({"messages": {}})"), "messages: this is a list, in [ ]");
  EXPECT_EQ(WhyNot(R"({"messages": "x"})"), "messages: this is a list, in [ ]");
  EXPECT_EQ(WhyNot(R"({"messages": [[{}]]})"), "messages[0]: this is no list");
  EXPECT_EQ(WhyNot(R"({"messages": [{}, null]})"),
            "messages[1]: this is null, which is no value here");
  EXPECT_EQ(WhyNot(R"({"messages": [{"timeToLive": {"seconds": 1}}]})"),
            "messages[0].timeToLive: this is no object");
  EXPECT_EQ(WhyNot(R"({"messages": [{"applicationProperties": []}]})"),
            "messages[0].applicationProperties: this is no list");
  EXPECT_EQ(WhyNot<v1::CreateAccessRuleRequest>(R"({"showKeys": "true"})"),
            "showKeys: this is true or false");
}

TEST(JsonFormTest, AValueThatIsNoneIsNamedWithItsPlace) {
  EXPECT_EQ(WhyNot(R"({"messages": [{"body": "!!"}]})"), R"(messages[0].body: "!!" is not base64)");
  EXPECT_EQ(WhyNot(R"({"messages": [{"timeToLive": "soon"}]})").substr(0, 23),
            "messages[0].timeToLive:");
  EXPECT_THAT(WhyNot(R"({"messages": [{"timeToLive": "soon"}]})"), HasSubstr("a duration"));
  EXPECT_EQ(WhyNot<v1::ReceiveRequest>(R"({"maxMessages": 1.5})"),
            "maxMessages: this is a whole number, written as one");
  EXPECT_EQ(WhyNot<v1::ReceiveRequest>(R"({"maxMessages": -1})"),
            "maxMessages: -1 is not a whole number that fits");
  EXPECT_THAT(WhyNot<v1::CreateAccessRuleRequest>(R"({"rule": {"rights": ["Send"]}})"),
              StartsWith(R"(rule.rights[0]: "Send" is not ACCESS_RIGHT)"));
  EXPECT_THAT(
      WhyNot(R"({"messages": [{"applicationProperties": {"a": {"int32Value": 1, "stringValue":
                 "x"}}}]})"),
      HasSubstr("only one of its kinds"));
}

// --- hostile ---

TEST(JsonFormTest, HugeNumbersAreRefused) {
  EXPECT_EQ(WhyNot<v1::ReceiveRequest>(R"({"maxMessages": 99999999999999999999})").substr(0, 12),
            "maxMessages:");
  EXPECT_THAT(WhyNot<v1::ReceiveRequest>(R"({"maxMessages": 1e999})"), HasSubstr("no JSON"));
  EXPECT_EQ(WhyNot<v1::ReceiveRequest>(
                absl::StrCat(R"({"maxMessages": ")", Repeated("9", 100'000), R"("})"))
                .substr(0, 12),
            "maxMessages:");
}

TEST(JsonFormTest, AFieldMayStandThereOnce) {
  EXPECT_EQ(WhyNot(R"({"entityPath": "a", "entityPath": "b"})"), "entityPath: stands here twice")
      << "equal names";
  EXPECT_EQ(WhyNot(R"({"entityPath": "a", "entity_path": "b"})"), "entity_path: stands here twice")
      << "by both names";
  EXPECT_THAT(WhyNot(R"({"messages": [{"applicationProperties": {"a": {}, "a": {}}}]})"),
              HasSubstr("stands here twice"));
}

TEST(JsonFormTest, WhatIsDeepIsRefused) {
  for (const char* open : {"[", "{\"a\":", "{\"messages\":[", "{\"messages\":[{\"x\":["}) {
    EXPECT_NE(WhyNot(Repeated(open, 10'000)), "") << open;
  }
  EXPECT_NE(WhyNot(Repeated("[", 10'000) + Repeated("]", 10'000)), "");
}

TEST(JsonFormTest, MoreValuesThanAnybodyNeedsAreRefused) {
  const std::string many =
      absl::StrCat(R"({"messages": [{})", Repeated(",{}", kJsonValuesMax), "]}");
  EXPECT_THAT(WhyNot(many), HasSubstr("values and names"));
}

TEST(JsonFormTest, WhatIsNoJsonIsRefusedWithItsPlace) {
  for (const char* bad :
       {"x", "[]", "null", "\"a\"", "1", "{", "{\"entityPath\": \"q\"", "{entityPath: \"q\"}",
        "{'entityPath': 'q'}", "{\"entityPath\": \"q\",}", "{\"entityPath\": \"q\"} {}",
        "{\"entityPath\": \"\xff\xfe\"}", "{\"entityPath\": \"\\ud800\"}", "\xef\xbb\xbf"}) {
    EXPECT_THAT(WhyNot(bad), StartsWith("the body")) << bad;
  }
  EXPECT_THAT(WhyNot(R"({"messages": [{"body": tru}]})"), HasSubstr("in messages[0].body"));
}

TEST(JsonFormTest, ASentenceRepeatsLittleOfWhatWasSent) {
  const std::string long_name(100'000, 'x');
  EXPECT_LT(WhyNot("{\"" + long_name + "\": 1}").size(), 300U);
  EXPECT_LT(WhyNot(R"({"messages": [{"body": ")" + long_name + "!\"}]}").size(), 300U);
}

}  // namespace
}  // namespace wharf::console
