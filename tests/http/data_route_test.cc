#include "broker/doors/http/servicebus/data_route.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr char kToken[] = "00112233-4455-6677-8899-aabbccddeeff";

// "verb entity", or nothing.
std::string Route(std::string_view method, std::string_view path) {
  const auto route = DataRouteOf(method, path);
  return route ? std::string(NameOf(route->verb)) + ' ' + route->entity : "";
}

// RST-1 to RST-7
TEST(DataRouteTest, AMethodAndTheEndOfAPathSayWhatIsAsked) {
  EXPECT_EQ(Route("POST", "q/messages"), "send q");
  EXPECT_EQ(Route("POST", "q1/Messages/Head"), "peek-lock q1");
  EXPECT_EQ(Route("DELETE", "q/messages/head"), "receive-and-delete q");
  const std::string locked = std::string("q/messages/17/") + kToken;
  EXPECT_EQ(Route("DELETE", locked), "complete q");
  EXPECT_EQ(Route("PUT", locked), "unlock q");
  EXPECT_EQ(Route("POST", locked), "renew q");
}

// RST-9
TEST(DataRouteTest, BeforeItStandsTheAddressOfAnyEntity) {
  EXPECT_EQ(Route("POST", "t/subscriptions/s/messages/head"), "peek-lock t/subscriptions/s");
  EXPECT_EQ(Route("DELETE", "q/$DeadLetterQueue/messages/head"),
            "receive-and-delete q/$DeadLetterQueue");
  EXPECT_EQ(Route("DELETE", std::string("t/subscriptions/s/$deadletterqueue/messages/a/") + kToken),
            "complete t/subscriptions/s/$deadletterqueue");
}

// The name of an entity may look like all of it: the end decides.
TEST(DataRouteTest, APathIsTakenApartFromTheRight) {
  EXPECT_EQ(Route("POST", "a/messages/messages"), "send a/messages");
  EXPECT_EQ(Route("POST", "a/messages/head/messages"), "send a/messages/head");
  EXPECT_EQ(Route("POST", "messages/messages/head"), "peek-lock messages");
  EXPECT_EQ(Route("POST", std::string("a/messages/b/") + kToken + "/messages"),
            std::string("send a/messages/b/") + kToken);
  EXPECT_EQ(Route("POST", "health/messages"), "send health");
  EXPECT_EQ(Route("POST", "api/v1/x/messages"), "send api/v1/x");
  EXPECT_EQ(Route("POST", "messages"), "send ");
}

TEST(DataRouteTest, WhatAsksNothingOfMessagesIsLeftToOthers) {
  EXPECT_EQ(Route("GET", "q/messages"), "");
  EXPECT_EQ(Route("PUT", "q/messages"), "");
  EXPECT_EQ(Route("GET", "q/messages/head"), "");
  EXPECT_EQ(Route("post", "q/messages"), "");
  EXPECT_EQ(Route("DELETE", "q"), "");
  EXPECT_EQ(Route("DELETE", "q/messages/17"), "");
  EXPECT_EQ(Route("DELETE", std::string("q/17/") + kToken), "");
  EXPECT_EQ(Route("GET", ""), "");
}

// What is left of a URL that was cut.
TEST(DataRouteTest, ALockWhoseTokenIsNoneIsStillOneOfALock) {
  for (const char* method : {"DELETE", "PUT", "POST"}) {
    const auto route = DataRouteOf(method, "t/subscriptions/s/messages/17/not-a-token");
    ASSERT_TRUE(route.has_value());
    EXPECT_EQ(route->entity, "t/subscriptions/s");
    EXPECT_EQ(route->no_token, "not-a-token");
    EXPECT_TRUE(route->token.is_zero());
  }
  EXPECT_EQ(Route("GET", "q/messages/17/x"), "");
  EXPECT_EQ(Route("DELETE", "messages/17/x"), "");
}

// A topic, a subscription or a rule may be called as anything, a token too.
TEST(DataRouteTest, WordsBetweenNamesAreNoPartOfALock) {
  const std::string guid = kToken;
  EXPECT_EQ(Route("DELETE", "a/messages/Subscriptions/s"), "");
  EXPECT_EQ(Route("PUT", "t/Subscriptions/messages/Rules/" + guid), "");
  EXPECT_EQ(Route("DELETE", "t/subscriptions/messages/rules/r"), "");
  EXPECT_EQ(Route("DELETE", "t/subscriptions/messages/messages/a/" + guid),
            "complete t/subscriptions/messages");
}

// The same text that SDKs of AMQP show, which swap bytes of the tag (PRP-19).
TEST(DataRouteTest, ALockTokenIsAGuid) {
  const auto token = LockTokenFrom(kToken);

  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(TextOf(*token), kToken);
  EXPECT_EQ(token->ToBytes().substr(0, 8), std::string("\x33\x22\x11\x00\x55\x44\x77\x66", 8));
  EXPECT_EQ(LockTokenFrom("00112233445566778899AABBCCDDEEFF"), token);
  EXPECT_EQ(LockTokenFrom(""), std::nullopt);
  EXPECT_EQ(LockTokenFrom("00112233-4455-6677-8899-aabbccddeef"), std::nullopt);
  EXPECT_EQ(LockTokenFrom("00112233-4455-6677-8899-aabbccddeefg"), std::nullopt);
}

}  // namespace
}  // namespace wharf
