// What stands in headers and in JSON of messages over HTTP: read from anybody, written safely.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/http_time.h"
#include "broker/doors/http/rest/incoming.h"
#include "broker/doors/http/rest/json_text.h"
#include "broker/doors/http/rest/message_body.h"
#include "broker/doors/http/rest/message_door.h"
#include "broker/doors/http/rest/omitted_names.h"
#include "broker/doors/http/rest/property_name.h"
#include "broker/doors/http/rest/property_text.h"

namespace wharf::rest {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

// As a header says it that was read from one.
std::string Again(std::string_view header) {
  return HeaderOf(PropertyFrom(header)).value_or("nothing");
}

// USR-5
TEST(PropertyTextTest, AValueSaysItsType) {
  EXPECT_EQ(PropertyFrom("\"red\""), PropertyValue(std::string("red")));
  EXPECT_EQ(PropertyFrom("17"), PropertyValue(std::int64_t{17}));
  EXPECT_EQ(PropertyFrom("-17"), PropertyValue(std::int64_t{-17}));
  EXPECT_EQ(PropertyFrom("18446744073709551615"), PropertyValue(~std::uint64_t{0}));
  EXPECT_EQ(PropertyFrom("1.5"), PropertyValue(1.5));
  EXPECT_EQ(PropertyFrom("1e3"), PropertyValue(1000.0));
  EXPECT_EQ(PropertyFrom("true"), PropertyValue(true));
  EXPECT_EQ(PropertyFrom("null"), PropertyValue());
  EXPECT_EQ(PropertyFrom("\"Thu, 01 Jan 1970 00:00:01 GMT+0000\""),
            PropertyValue(Instant{{.seconds = 1}}));
  for (const char* text : {"High", "12345,ABC", "007", "1.", "+1", "TRUE", "", "[1]", "1 2", "-"}) {
    EXPECT_EQ(PropertyFrom(text), PropertyValue(std::string(text))) << text;
  }
}

TEST(PropertyTextTest, WhatIsWrittenIsReadBack) {
  for (const char* header :
       {"\"red\"", "17", "1.5", "2.0", "1e+300", "true", "false", "null", "\"\"", "\"17\"",
        "\"a\\r\\n\\u0000\\u007f\\u00e4\\\"\"", "\"Thu, 01 Jan 1970 00:00:01 GMT\""}) {
    EXPECT_EQ(Again(header), header);
  }
  EXPECT_EQ(Again("\"C:\\dir\""), "\"C:\\\\dir\"");
  EXPECT_EQ(Again("\xE4"), "\"\\u00e4\"");
  EXPECT_EQ(Again("\xC3\xA4"), "\"\\u00e4\"");
}

// USR-2
TEST(PropertyTextTest, EveryTypeHasAText) {
  EXPECT_EQ(HeaderOf(std::int8_t{-1}), "-1");
  EXPECT_EQ(HeaderOf(std::uint8_t{200}), "200");
  EXPECT_EQ(HeaderOf(0.5F), "0.5");
  EXPECT_EQ(HeaderOf(std::numeric_limits<double>::infinity()), "\"inf\"");
  EXPECT_EQ(HeaderOf(char32_t{0x1F600}), "\"\\ud83d\\ude00\"");
  EXPECT_EQ(HeaderOf(char32_t{0xD800}), "\"\\ufffd\"");
  EXPECT_EQ(HeaderOf(Uuid{}), "\"00000000-0000-0000-0000-000000000000\"");
  EXPECT_EQ(HeaderOf(TimeSpan{{.seconds = 93784, .nanos = 500'000'000}}), "\"1.02:03:04.5000000\"");
  EXPECT_EQ(HeaderOf(TimeSpan{{.seconds = 3600}}), "\"01:00:00\"");
  EXPECT_EQ(HeaderOf(TimeSpan{{.seconds = -1}}), "\"-00:00:01\"");
  EXPECT_EQ(HeaderOf(TimeSpan{{.nanos = -500'000'000}}), "\"-00:00:00.5000000\"");
  EXPECT_EQ(HeaderOf(Uri{"http://a"}), "\"http://a\"");
  EXPECT_EQ(HeaderOf(DateTimeOffset{{.seconds = -1}}), "\"Wed, 31 Dec 1969 23:59:59 GMT\"");
  EXPECT_EQ(HeaderOf(EncodedValue{std::string("\xA3\x03sym", 5)}), "\"sym\"");
  EXPECT_EQ(HeaderOf(EncodedValue{std::string("\x45", 1)}), std::nullopt);
  EXPECT_EQ(HeaderOf(std::string("\xFF")), "\"\\ufffd\"");
}

TEST(PropertyNameTest, ANameThatIsDangerousOnItsWayOutStaysInside) {
  for (const char* name : {"Content-Length",
                           "content-foo",
                           "HOST",
                           "If-Match",
                           "Set-Cookie",
                           "Location",
                           "Te",
                           "x-ms-retrypolicy",
                           "X-Forwarded-For",
                           "X-Wharf-Omitted",
                           "a b",
                           "",
                           "a:b",
                           "\xC3\xA4",
                           "Access-Control-Allow-Origin",
                           "brokerproperties",
                           "X-Accel-Redirect",
                           "X-Sendfile",
                           "X-Sendfile-Type",
                           "X-LiteSpeed-Location",
                           "X-Lighttpd-Send-File",
                           "X-Reproxy-URL",
                           "Status",
                           "Surrogate-Control",
                           "CDN-Cache-Control",
                           "Service-Worker-Allowed",
                           "Accept-CH",
                           "Feature-Policy",
                           "Document-Policy",
                           "Proxy-Status",
                           "Speculation-Rules"}) {
    EXPECT_FALSE(MayGoOut(name)) << name;
  }
  for (const char* name :
       {"color", "Priority", "traceparent", "Diagnostic-Id", "x-custom", "a.b_c"}) {
    EXPECT_TRUE(MayGoOut(name)) << name;
  }
}

// USR-7
TEST(PropertyNameTest, WhatNoClientWritesByItselfIsAProperty) {
  for (const char* name : {"color",         "Priority",     "a.b_c",
                           "Status",        "Age",          "From",
                           "Link",          "Range",        "Close",
                           "Warning",       "Expires",      "Allow",
                           "Server",        "Vary",         "Location",
                           "Set-Cookie",    "CDN-Region",   "Content-Kind",
                           "X-Frame-Count", "Max-Forwards", "Access-Control-Level",
                           "If-Urgent"}) {
    EXPECT_EQ(KindOfHeader(name, "1"), HeaderKind::kProperty) << name;
    EXPECT_EQ(KindOfHeader(name, "\"x\""), HeaderKind::kProperty) << name;
  }
}

TEST(PropertyNameTest, WhatClientsAndProxiesWriteByThemselvesIsNoneAndNotToldOf) {
  for (const char* name :
       {"Accept", "Accept-Encoding", "Authorization", "Cache-Control", "CDN-Loop", "Cookie", "Host",
        "Proxy-Authorization", "Sec-Fetch-Mode", "Sec-CH-UA", "User-Agent", "Via",
        "X-Forwarded-For", "X-Real-IP", "x-ms-retrypolicy", "Access-Control-Request-Method"}) {
    EXPECT_EQ(KindOfHeader(name, "x"), HeaderKind::kOfRequest) << name;
    // Somebody meant a property.
    EXPECT_EQ(KindOfHeader(name, "\"x\""), HeaderKind::kOmitted) << name;
  }
  for (const char* name : {"Content-Encoding", "Content-MD5", "If-None-Match", "Proxy-Status",
                           "Sec-Level", "x-ms-color", "x-wharf-omitted", "a b", ""}) {
    EXPECT_EQ(KindOfHeader(name, "x"), HeaderKind::kOmitted) << name;
  }
}

TEST(OmittedNamesTest, WhatFindsNoRoomIsANumber) {
  OmittedNames names;
  for (int i = 0; i < 1000; ++i) names.Add("property");
  HttpFields fields;
  std::move(names).AddTo(fields);
  OmittedNames().AddTo(fields);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields.front().first, "x-wharf-omitted");
  EXPECT_LE(fields.front().second.size(), 2500U);
  EXPECT_THAT(fields.front().second, ::testing::MatchesRegex("(\"property\", )+[0-9]+"));
}

TEST(HttpTimeTest, TimesAreReadAndWritten) {
  for (const std::int64_t time :
       {0LL, 1LL, -1LL, 1'789'000'000LL, 253'402'300'799LL, 951'782'400LL}) {
    EXPECT_EQ(HttpTimeFrom(HttpTime(time)), time);
  }
  EXPECT_EQ(HttpTime(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(InstantFrom("1970-01-01T00:00:01.25Z"), Timestamp(Duration(1'250'000)));
  for (const char* text : {"", "Thu, 01 Jan 1970 00:00:00", "Thu, 32 Jan 1970 00:00:00 GMT",
                           "Thu, 01 Jan 1970 24:00:00 GMT", "1970-13-01T00:00:00Z", "1970-01-01",
                           "Thu, 1 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT ",
                           "1970/01-01T00:00:00Z", "1970-01-01 00:00:00Z", "1970-01-01T00.00:00Z",
                           "Thu; 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00-00 GMT"}) {
    EXPECT_EQ(InstantFrom(text), std::nullopt) << text;
  }
  EXPECT_EQ(TimeSpanFrom("1.02:03:04.5"), hours(26) + seconds(184) + Duration(500'000));
  EXPECT_EQ(TimeSpanFrom("-00:00:01"), -seconds(1));
  for (const char* text : {"", "1", "1:2:3", "999999999.00:00:00", "00:00:60", "00:00:01.",
                           "24:00:00", "00:60:00", "00-00:01", "00:00-01"}) {
    EXPECT_EQ(TimeSpanFrom(text), std::nullopt) << text;
  }
}

TEST(JsonTextTest, WhatIsDeepOrEndlessIsRefused) {
  const auto why = [](const std::string& text) { return ParseJson("it", text).status().message(); };
  EXPECT_THAT(why(std::string(10'000, '[')), HasSubstr("deep"));
  EXPECT_THAT(why(std::string(10'000, '[') + std::string(10'000, ']')), HasSubstr("deep"));
  std::string many = "[0";
  for (int i = 0; i < 400'000; ++i) many += ",0";
  EXPECT_THAT(why(many + "]"), HasSubstr("too much"));
  for (const char* text :
       {"", "{", "{'a':1}", "[1,]", "1 2", "\"\xFF\"", "1e999999", "nul", "\"\n\""}) {
    EXPECT_THAT(why(text), HasSubstr("none")) << text;
  }
}

// RST-10
TEST(BrokerPropertiesTest, UnknownAndNullAreIgnoredAndBadOnesNamed) {
  Message message;
  EXPECT_TRUE(
      TakeBrokerPropertiesHeader(
          R"({"Label":null,"SequenceNumber":7,"State":"Active","x":[],"TimeToLive":1.5})", message)
          .ok());
  EXPECT_FALSE(message.subject.has_value());
  EXPECT_EQ(message.time_to_live, Duration(1'500'000));
  for (const char* text : {"[]", "7", "\"x\"", R"({"To":1})", R"({"TimeToLive":1e13})",
                           R"({"TimeToLive":"x"})", R"({"ScheduledEnqueueTimeUtc":1})"}) {
    EXPECT_FALSE(TakeBrokerPropertiesHeader(text, message).ok()) << text;
  }
}

// What a receiver over HTTP is told of a message that nothing was said of.
nlohmann::json ToldOf(StoredMessage stored) {
  Delivered delivered;
  delivered.message = std::make_shared<const StoredMessage>(std::move(stored));
  std::vector<std::string> omitted;
  return nlohmann::json::parse(BrokerPropertiesOf(delivered, omitted));
}

// RST-10
TEST(BrokerPropertiesTest, ADeliveryTellsItsNumberAndItsLife) {
  StoredMessage stored;
  stored.number = SequenceNumber(7);
  stored.message.time_to_live = seconds(90);
  const nlohmann::json told = ToldOf(stored);
  EXPECT_EQ(told.value("SequenceNumber", 0), 7);
  ASSERT_TRUE(told.contains("TimeToLive"));
  EXPECT_TRUE(told["TimeToLive"].is_number_integer());
  EXPECT_EQ(told["TimeToLive"], 90);

  stored.message.time_to_live = Duration(1'000'001);
  EXPECT_EQ(ToldOf(stored)["TimeToLive"], 1.000001);
}

// USR-6
TEST(MessageBodyTest, AReaderOverHttpSeesNoSections) {
  const auto body = [](BodyKind kind, std::string bytes) {
    Message message;
    message.body = std::move(bytes);
    message.body_kind = kind;
    return PlainBodyOf(message);
  };
  EXPECT_EQ(body(BodyKind::kData, std::string("\0Sw", 3)), std::string("\0Sw", 3));
  EXPECT_EQ(body(BodyKind::kValue, std::string("\0Sw\xA1\x02hi", 7)), "hi");
  EXPECT_EQ(body(BodyKind::kValue, std::string("\0Sw\xA0\x02hi", 7)), "hi");
  const std::string data = std::string("\0Su\xA0\x02hi", 7);
  EXPECT_EQ(body(BodyKind::kDataSections, data + data), "hihi");
  // What it cannot say, and what is damaged, stays as it is.
  for (const std::string& odd :
       {data + "x", std::string("\0Su\xA0\xFFhi", 7), std::string("\0Su\xB0\xFF", 5)}) {
    EXPECT_EQ(body(BodyKind::kDataSections, odd), odd);
  }
  EXPECT_EQ(body(BodyKind::kValue, std::string("\0Sw\x54\x07", 5)), std::string("\0Sw\x54\x07", 5));
}

// PRP-1
TEST(IncomingTest, EachMessageHasAnIdOfItsOwn) {
  ServiceBusRequest request{
      .fields = {{"Content-Type", "application/vnd.microsoft.servicebus.json"}},
      .body = R"([{"Body":"a"},{"BrokerProperties":{"MessageId":"m"}},{}])"};
  const Result<Incoming> incoming = IncomingOf(request);
  ASSERT_TRUE(incoming.ok());
  const std::vector<Message>& messages = incoming->messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].message_id->size(), 36U);
  EXPECT_EQ(messages[1].message_id, "m");
  EXPECT_NE(messages[0].message_id, messages[2].message_id);
}

TEST(IncomingTest, AHeaderIsThereOnce) {  // USR-4
  const auto refusal = [](HttpFields fields) {
    ServiceBusRequest request{.fields = std::move(fields)};
    return IncomingOf(request).status().message();
  };

  EXPECT_EQ(refusal({{"Color", "1"}, {"color", "1"}, {"Accept", "a"}, {"Accept", "b"}}), "");
  EXPECT_EQ(refusal({{"Color", "1"}, {"Color", "2"}}), "the header 'Color' is there twice");
  EXPECT_EQ(refusal({{"BrokerProperties", "{}"}, {"brokerproperties", "{}"}}),
            "the header 'brokerproperties' is there twice");
  EXPECT_EQ(refusal({{"Content-Type", "a"}, {"Content-Type", "b"}}),
            "the header 'Content-Type' is there twice");
}

TEST(IncomingTest, AQuotedTypeOfABodyIsNoLostProperty) {
  ServiceBusRequest request{.fields = {{"Content-Type", "\"odd\""}, {"Accept", "\"x\""}}};
  Result<Incoming> incoming = IncomingOf(request);
  ASSERT_TRUE(incoming.ok());
  HttpFields fields;
  std::move(incoming->omitted).AddTo(fields);
  EXPECT_EQ(incoming->messages.front().content_type, "\"odd\"");
  EXPECT_EQ(fields, (HttpFields{{"x-wharf-omitted", "\"Accept\""}}));
}

TEST(MessageDoorTest, ATimeoutIsAWholeNumberOfSeconds) {
  const auto timeout = [](const std::string& said) {
    return TimeoutOf({.query = {{"timeout", said}}});
  };
  EXPECT_EQ(*TimeoutOf({}), seconds(60));
  EXPECT_EQ(*timeout(""), seconds(60));
  EXPECT_EQ(*timeout("0"), seconds(0));
  EXPECT_EQ(*timeout("7"), seconds(7));
  EXPECT_EQ(*timeout("999999999999999999999999"), hours(1));
  for (const char* said : {"-1", "soon", "1.5", "1s", "+1", "-999999999999999999999"}) {
    EXPECT_FALSE(timeout(said).ok()) << said;
  }
}

}  // namespace
}  // namespace wharf::rest
