#include "broker/trace/otlp_json.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/trace/sample_span.h"

namespace wharf::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Pair;
using Json = nlohmann::json;

class OtlpJsonTest : public ::testing::Test {
 protected:
  Json RequestOf(const std::vector<Span>& spans) {
    return Json::parse(ToOtlp(spans, "1.2", random_));
  }
  Json JsonOf(const Span& span) {
    return RequestOf({span})["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
  }
  static std::map<std::string, std::string> Attributes(const Json& holder) {
    std::map<std::string, std::string> found;
    for (const Json& each : holder["attributes"]) {
      found[each["key"]] = each["value"]["stringValue"];
    }
    return found;
  }

  SeededRandom random_{1};
};

TEST_F(OtlpJsonTest, ARequestTellsWhoMadeIt) {
  const Json request = RequestOf({SampleSpan(), SampleSpan()});

  const Json& resource = request["resourceSpans"][0];
  EXPECT_THAT(Attributes(resource["resource"]),
              ElementsAre(Pair("service.name", "wharfd"), Pair("service.version", "1.2")));
  EXPECT_EQ(resource["scopeSpans"][0]["scope"]["name"], "wharf");
  EXPECT_EQ(resource["scopeSpans"][0]["spans"].size(), 2u);
}

TEST_F(OtlpJsonTest, IdsAreHexAndTimesAreTextInNanoseconds) {
  Span span = SampleSpan();
  span.parent.state = "shop=1";
  const Json json = JsonOf(span);

  EXPECT_EQ(json["traceId"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(json["parentSpanId"], "b7ad6b7169203331");
  EXPECT_THAT(json["spanId"].get<std::string>(), MatchesRegex("[0-9a-f]{16}"));
  EXPECT_NE(json["spanId"], JsonOf(span)["spanId"]);
  EXPECT_EQ(json["traceState"], "shop=1");
  EXPECT_EQ(json["startTimeUnixNano"], "100000000000");
  EXPECT_EQ(json["endTimeUnixNano"], "101000000000");
  EXPECT_EQ(json["name"], "send orders");
  EXPECT_EQ(json["kind"], 2);
  EXPECT_EQ(json["status"], Json::object());
}

TEST_F(OtlpJsonTest, AttributesFollowTheConventions) {
  EXPECT_THAT(
      Attributes(JsonOf(SampleSpan())),
      ElementsAre(Pair("messaging.destination.name", "orders"), Pair("messaging.message.id", "m1"),
                  Pair("messaging.operation.name", "send"),
                  Pair("messaging.operation.type", "send"), Pair("messaging.system", "wharf")));
  Span delivery = SampleSpan("");
  delivery.kind = SpanKind::kDelivery;
  delivery.entity = "sales/Subscriptions/all";
  delivery.disposition = "complete";
  EXPECT_THAT(Attributes(JsonOf(delivery)),
              ElementsAre(Pair("messaging.destination.name", "sales"),
                          Pair("messaging.destination.subscription.name", "all"),
                          Pair("messaging.operation.name", "deliver"),
                          Pair("messaging.operation.type", "receive"),
                          Pair("messaging.servicebus.disposition_status", "complete"),
                          Pair("messaging.system", "wharf")));
}

TEST_F(OtlpJsonTest, AFailureHasItsReason) {
  Span span = SampleSpan();
  span.error = ErrorCode::kQuotaExceeded;
  span.error_message = "the queue is full";
  const Json json = JsonOf(span);

  EXPECT_EQ(json["status"], Json({{"code", 2}, {"message", "the queue is full"}}));
  EXPECT_EQ(Attributes(json)["error.type"], "QuotaExceeded");
}

TEST_F(OtlpJsonTest, WhatIsNoTextOrEndsBeforeItBeginsIsWrittenAllTheSame) {
  Span span = SampleSpan("\xff\n");
  span.end = Timestamp(std::chrono::seconds(99));
  const Json json = JsonOf(span);

  EXPECT_EQ(json["endTimeUnixNano"], json["startTimeUnixNano"]);
  EXPECT_EQ(ToOtlp({span}, "1.2", random_).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace wharf::trace
