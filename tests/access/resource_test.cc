#include "broker/access/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/ascii_text.h"

namespace wharf::access {
namespace {

using testing::ElementsAre;

// SEC-6
TEST(ResourceTest, SchemeHostPortQueryAndOuterSlashesSayNothing) {
  for (const char* uri : {"q1", "/q1", "q1/", "Q1", "sb://host/q1", "sb://host:5671/q1/",
                          "amqps://HOST/Q1", "https://127.0.0.1:443/q1?api-version=2016-07",
                          "sb://host/q1#here", "sb://host//q1//", "sb://host\\q1"}) {
    EXPECT_EQ(ResourceOfUri(uri), "q1") << uri;
  }
}

TEST(ResourceTest, AHostAloneIsTheNamespace) {
  for (const char* uri :
       {"", "/", "sb://host", "sb://host/", "http://host:80/?a=b", "sb://", "//"}) {
    EXPECT_EQ(ResourceOfUri(uri), "") << uri;
  }
}

// Without a scheme it takes a port to tell a host from an entity.
TEST(ResourceTest, AHostWithAPortIsNoEntity) {
  for (const char* uri : {"127.0.0.1:8443", "Host:1/", "[::1]:65535", "host:443?a=b"}) {
    EXPECT_EQ(ResourceOfUri(uri), "") << uri;
  }
  EXPECT_EQ(ResourceOfUri("host:8443/A/b"), "a/b");
  for (const char* uri : {"host", "127.0.0.1", "host:", ":1", "host:1a", "host:123456", "a/b:1"}) {
    EXPECT_EQ(ResourceOfUri(uri), ToLowerCase(uri)) << uri;
  }
}

TEST(ResourceTest, PartsOfAnEntityAreKept) {
  EXPECT_EQ(ResourceOfUri("sb://h/T/Subscriptions/S"), "t/subscriptions/s");
  EXPECT_EQ(ResourceOfUri("sb://h/q/$DeadLetterQueue"), "q/$deadletterqueue");
  EXPECT_EQ(ResourceOfUri("https://127.0.0.1:443/q1/messages/head?timeout=3&api-version=2016-07"),
            "q1/messages/head");
}

TEST(ResourceTest, DotsAreNoWayUp) {
  EXPECT_EQ(ResourceOfUri("sb://h/a/../b"), "a/../b");
  EXPECT_FALSE(Covers(ResourceOfUri("sb://h/a/.."), "b"));
}

TEST(ResourceTest, CoversWholeSegmentsOnly) {
  EXPECT_TRUE(Covers("", "anything"));
  EXPECT_TRUE(Covers("", ""));
  EXPECT_TRUE(Covers("a", "a"));
  EXPECT_TRUE(Covers("a", "a/b"));
  EXPECT_TRUE(Covers("t", "t/subscriptions/s/$deadletterqueue"));
  EXPECT_FALSE(Covers("a", "ab"));
  EXPECT_FALSE(Covers("a/b", "a"));
  EXPECT_FALSE(Covers("a", ""));
  EXPECT_FALSE(Covers("a", "b/a"));
}

TEST(ResourceTest, NamesTheNearestAncestorFirst) {
  EXPECT_THAT(WithAncestors("a/b/c"), ElementsAre("a/b/c", "a/b", "a", ""));
  EXPECT_THAT(WithAncestors(""), ElementsAre(""));
}

}  // namespace
}  // namespace wharf::access
