#include "tools/wharf/messages/message_json.h"

#include <fmt/core.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using google::protobuf::util::MessageDifferencer;

// A message in which every field says something.
constexpr const char* kFullMessage = R"({
  "body": "hello",
  "body_kind": "sequence",
  "message_id": "m-1",
  "correlation_id": "c-1",
  "content_type": "text/plain",
  "subject": "greeting",
  "to": "there",
  "reply_to": "back",
  "reply_to_session_id": "rs",
  "session_id": "s",
  "partition_key": "p",
  "via_partition_key": "v",
  "time_to_live": 5400.5,
  "scheduled_enqueue_time": "2026-01-31T12:00:00Z",
  "application_properties": {"a": 1, "b": {"type": "int32", "value": 5}, "n": null},
  "content_encoding": "gzip",
  "user_id_base64": "AAH/",
  "creation_time": "2026-01-30T00:00:00.500Z",
  "group_sequence": 7,
  "priority": 4,
  "durable": true,
  "first_acquirer": false,
  "annotations": {"x-opt-color": "red"},
  "footer": {"sum": {"type": "uint64", "value": 9}},
  "amqp_form_base64": "IAM="
})";

v1::Message Parsed(const std::string& text) {
  const Result<v1::Message> message = MessageFromJsonText(text);
  EXPECT_TRUE(message.ok()) << message.status().ToString();
  return message.ok() ? *message : v1::Message();
}

std::string ErrorOf(const std::string& text) {
  return MessageFromJsonText(text).status().message();
}

v1::Message RoundTrip(const v1::Message& message) {
  v1::ReceivedMessage received;
  *received.mutable_message() = message;
  return Parsed(ToLine(ToJson(received)));
}

TEST(MessageJsonTest, EveryPropertyIsRead) {
  const v1::Message message = Parsed(kFullMessage);
  const auto* descriptor = v1::Message::descriptor();

  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    const auto* reflection = message.GetReflection();
    const bool is_there = field->is_repeated() ? reflection->FieldSize(message, field) > 0
                                               : reflection->HasField(message, field);
    EXPECT_TRUE(is_there) << field->name();
  }
}

TEST(MessageJsonTest, WhatReceivePrintsSendAcceptsUnchanged) {
  const v1::Message message = Parsed(kFullMessage);

  EXPECT_TRUE(MessageDifferencer::Equals(RoundTrip(message), message));
}

TEST(MessageJsonTest, ApplicationPropertiesAreShownInTheOrderOfTheirNames) {
  v1::Message message;
  Json expected = Json::object();
  for (char name = 'a'; name <= 'z'; ++name) {
    const std::string key(1, name);
    (*message.mutable_application_properties())[key].set_int64_value(name);
    expected[key] = std::int64_t{name};
  }
  EXPECT_EQ(PropertiesToJson(message)["application_properties"].dump(), expected.dump());
}

TEST(MessageJsonTest, EmptyStringsAreKept) {
  v1::Message message;
  message.set_subject("");
  message.set_user_id("");

  EXPECT_TRUE(MessageDifferencer::Equals(RoundTrip(message), message));
}

TEST(MessageJsonTest, ABodyThatIsNotTextIsBase64) {
  v1::ReceivedMessage received;
  received.mutable_message()->set_body(std::string("\x00\xff\x80", 3));

  const Json json = ToJson(received);

  EXPECT_FALSE(json.contains("body"));
  EXPECT_EQ(json["body_base64"], "AP+A");
  EXPECT_EQ(RoundTrip(received.message()).body(), received.message().body());
}

// As text it would be six times as long, and a line of it more than any reader takes.
TEST(MessageJsonTest, ABodyOfControlCharactersIsBase64) {
  v1::ReceivedMessage received;
  received.mutable_message()->set_body(std::string(1 << 20, '\0'));

  const std::string line = ToLine(ToJson(received));

  EXPECT_LT(line.size(), std::size_t{3 << 19});
  EXPECT_EQ(RoundTrip(received.message()).body(), received.message().body());
}

TEST(MessageJsonTest, ABodyOfQuotesAndLinesIsText) {
  v1::ReceivedMessage received;
  received.mutable_message()->set_body("\"\n\"\n\t\\");

  EXPECT_TRUE(ToJson(received).contains("body"));
}

// Looking for each key among all would take hours.
TEST(MessageJsonTest, ManyPropertiesAreReadAndWrittenInTheirProportion) {
  std::string text = R"({"application_properties":{"x":0)";
  for (int i = 0; i < 300'000; ++i) text += fmt::format(R"(,"k{}":1)", i);
  text += "}}";

  EXPECT_EQ(RoundTrip(Parsed(text)).application_properties().size(), 300'001U);
}

TEST(MessageJsonTest, WhatIsSaidTwiceIsRefused) {
  EXPECT_EQ(ErrorOf(R"({"body":"a","body":"b"})"), ".body: this key stands twice in its object");
  EXPECT_EQ(ErrorOf(R"({"application_properties":{"a":1,"a":2}})"),
            ".application_properties.a: this key stands twice in its object");
  EXPECT_EQ(ErrorOf(R"({"body":"a","body_base64":"YQ=="})"),
            "body and body_base64 exclude each other");
}

TEST(MessageJsonTest, TheEntityOfAnExportIsSkipped) {
  EXPECT_EQ(Parsed(R"({"entity_path":"orders","body":"x"})").body(), "x");
}

TEST(MessageJsonTest, TheBrokersFieldsAreShownAndSkipped) {
  v1::ReceivedMessage received;
  received.set_sequence_number(42);
  received.set_lock_token(std::string(16, '\x11'));
  received.mutable_locked_until()->set_seconds(1);
  received.set_state(v1::MESSAGE_STATE_DEFERRED);

  const Json json = ToJson(received);

  EXPECT_EQ(json["sequence_number"], 42);
  EXPECT_EQ(json["lock_token"], "11111111111111111111111111111111");
  EXPECT_EQ(json["locked_until"], "1970-01-01T00:00:01Z");
  EXPECT_EQ(json["state"], "deferred");
  EXPECT_TRUE(MessageDifferencer::Equals(Parsed(ToLine(json)), v1::Message()));
}

TEST(MessageJsonTest, TheBaseShowsThroughWhereTheLineSaysNothing) {
  v1::Message base;
  base.set_subject("from the options");
  base.set_message_id("from the options");

  const Result<v1::Message> message = MessageFromJsonText(R"({"message_id":"own"})", base);

  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->subject(), "from the options");
  EXPECT_EQ(message->message_id(), "own");
}

TEST(MessageJsonTest, BadInputIsOneSentenceThatNamesTheField) {
  EXPECT_EQ(ErrorOf(R"({"boddy":"x"})"), "a message has no property \"boddy\"");
  EXPECT_EQ(ErrorOf(R"({"message":"x"})"), "a message has no property \"message\"");
  EXPECT_EQ(ErrorOf(R"({"body":5})"), "body: the value must be a string");
  EXPECT_EQ(ErrorOf(R"({"body_base64":"?"})"), "body_base64: the text is not base64");
  EXPECT_EQ(ErrorOf(R"({"subject":5})"), "subject: the value must be a string");
  EXPECT_EQ(ErrorOf(R"({"priority":"high"})"), "priority: the value must be a whole number");
  EXPECT_EQ(ErrorOf(R"({"priority":-1})"), "priority: \"-1\" is not a whole number");
  EXPECT_EQ(ErrorOf(R"({"durable":1})"), "durable: the value must be true or false");
  EXPECT_EQ(ErrorOf(R"({"application_properties":[]})"),
            "application_properties: the value must be an object");
  EXPECT_EQ(ErrorOf(R"({"application_properties":{"n":{"type":"int8","value":300}}})"),
            "application_properties.n: \"300\" is not a value of type int8");
  EXPECT_EQ(ErrorOf(R"({"time_to_live":"soon"})").substr(0, 13), "time_to_live:");
  EXPECT_EQ(ErrorOf(R"([])"), R"(a message is an object, {"body": "..."})");
}

TEST(MessageJsonTest, TextThatIsNoJsonIsToldByItsColumn) {
  EXPECT_EQ(ErrorOf(R"({"body":)"), "the JSON is wrong at column 9: the text ends too soon");
  EXPECT_EQ(ErrorOf(""), "the JSON is wrong at column 1: the text ends too soon");
  EXPECT_EQ(ErrorOf("{x}"), "the JSON is wrong at column 2: \"x\" is not expected there");
  EXPECT_EQ(ErrorOf("{\"B\xc3\xa4r\": x}"),
            "the JSON is wrong at column 9: \"x\" is not expected there");
  EXPECT_EQ(ErrorOf("{\"body\": \"\xff\"}"),
            "the JSON is wrong at column 11: \"\\xff\" is not expected there");
  EXPECT_EQ(ErrorOf("{\"body\": \"\x1b\"}"),
            "the JSON is wrong at column 11: \"\\x1b\" is not expected there");
  EXPECT_EQ(ErrorOf(R"({"priority": 1e999})"), ".priority: the number is too large");
}

}  // namespace
}  // namespace wharf::tool
