#include "broker/doors/http/request_head.h"

#include <string>
#include <string_view>

#include <boost/beast/core/string.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

namespace http = boost::beast::http;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

RequestHead Get(std::string_view target, const HttpFields& fields = {{"Host", "localhost:1"}}) {
  RequestHead head;
  head.version(11);
  head.method(http::verb::get);
  head.target({target.data(), target.size()});
  for (const auto& [name, value] : fields) head.insert(name, value);
  return head;
}

auto IsRefused(unsigned status, const std::string& why) {
  return Optional(
      AllOf(Field(&HeadRefusal::status, status), Field(&HeadRefusal::why, HasSubstr(why))));
}

RequestHead With(const std::string& name, const std::string& value) {
  return Get("/q", {{"Host", "h"}, {name, value}});
}

RequestHead Twice(const std::string& name, const std::string& value) {
  return Get("/q", {{"Host", "h"}, {name, value}, {name, value}});
}

TEST(RequestHeadTest, ATargetIsAPathAndAQuery) {
  const HttpRequest request = RequestOf(Get("/a/b?x=1?y"));

  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.query, "x=1?y");
  EXPECT_EQ(request.host, "localhost:1");
  EXPECT_EQ(RequestOf(Get("/a")).query, "");
}

TEST(RequestHeadTest, ATargetMayNameTheHostThatTheRequestNames) {
  for (const char* target : {"http://localhost:1/a?b", "HTTPS://LOCALHOST:1/a?b"}) {
    EXPECT_EQ(WhyRefused(Get(target)), std::nullopt) << target;
    EXPECT_EQ(RequestOf(Get(target)).path, "/a") << target;
    EXPECT_EQ(RequestOf(Get(target)).query, "b") << target;
  }
  EXPECT_EQ(RequestOf(Get("http://localhost:1")).path, "/");
  EXPECT_EQ(RequestOf(Get("http://localhost:1?b")).path, "/");
  EXPECT_EQ(RequestOf(Get("http://localhost:1?b")).query, "b");
}

TEST(RequestHeadTest, ATargetOfAnotherHostOrKindIsRefused) {
  for (const char* target : {"http://localhost/a", "http://localhost:1.example/a", "http:///a",
                             "ftp://localhost:1/a", "localhost:1/a", "*", "a"}) {
    EXPECT_THAT(WhyRefused(Get(target)), IsRefused(400, "a path begins with /")) << target;
  }
  RequestHead nowhere = Get("http:///a", {});
  nowhere.version(10);
  EXPECT_THAT(WhyRefused(nowhere), IsRefused(400, "a path begins with /"));
}

TEST(RequestHeadTest, WhatCountsIsSaidOnce) {
  EXPECT_THAT(WhyRefused(Get("/q", {{"Host", "h"}, {"Host", "h"}})), IsRefused(400, "one host"));
  EXPECT_THAT(WhyRefused(Get("/q", {})), IsRefused(400, "one host"));
  EXPECT_THAT(WhyRefused(Twice("Authorization", "a")), IsRefused(400, "one authorization"));
  EXPECT_THAT(WhyRefused(Twice("Origin", "a")), IsRefused(400, "one origin"));
  EXPECT_THAT(WhyRefused(Twice("Content-Length", "1")), IsRefused(400, "once how long"));
  EXPECT_THAT(WhyRefused(Twice("Transfer-Encoding", "chunked")), IsRefused(400, "once how long"));
  EXPECT_EQ(WhyRefused(Twice("X", "a")), std::nullopt);

  // Who is older names no host.
  RequestHead old = Get("/q", {});
  old.version(10);
  EXPECT_EQ(WhyRefused(old), std::nullopt);
}

TEST(RequestHeadTest, ALengthIsANumberOrChunks) {
  EXPECT_EQ(WhyRefused(With("Content-Length", "09")), std::nullopt);
  EXPECT_EQ(WhyRefused(With("Transfer-Encoding", "Chunked")), std::nullopt);
  for (const char* length : {"-1", "+1", "1, 1", "0x1", "1a"}) {
    EXPECT_THAT(WhyRefused(With("Content-Length", length)), IsRefused(400, "one number")) << length;
  }
  for (const char* encoding : {"gzip", "chunked, gzip", "identity"}) {
    EXPECT_THAT(WhyRefused(With("Transfer-Encoding", encoding)), IsRefused(400, "or chunked"))
        << encoding;
  }
  EXPECT_THAT(
      WhyRefused(
          Get("/q", {{"Host", "h"}, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"}})),
      IsRefused(400, "once how long"));
  RequestHead old = With("Transfer-Encoding", "chunked");
  old.version(10);
  EXPECT_THAT(WhyRefused(old), IsRefused(400, "no chunks"));
}

TEST(RequestHeadTest, OnlyThatItMayGoOnIsExpected) {
  RequestHead head = With("Expect", "100-Continue");
  EXPECT_EQ(WhyRefused(head), std::nullopt);
  EXPECT_TRUE(IsContinueExpected(head));
  EXPECT_FALSE(IsContinueExpected(Get("/q")));

  EXPECT_THAT(WhyRefused(With("Expect", "gold")), IsRefused(417, "nothing else"));

  head.version(10);  // It does not know of that.
  EXPECT_FALSE(IsContinueExpected(head));
}

TEST(RequestHeadTest, FieldsAreToldAsTheyWereSent) {
  const HttpRequest request =
      RequestOf(Get("/q", {{"hOST", "h"}, {"Accept", "a"}, {"Origin", "o"}, {"X-1", ""}}));

  EXPECT_EQ(request.accept, "a");
  EXPECT_EQ(request.origin, "o");
  EXPECT_THAT(request.fields, ElementsAre(Pair("hOST", "h"), Pair("Accept", "a"),
                                          Pair("Origin", "o"), Pair("X-1", "")));
}

TEST(RequestHeadTest, BytesAreRefusedInTheWordsOfTheirFault) {
  EXPECT_THAT(WhyBad(http::error::header_limit), IsRefused(431, "too long"));
  EXPECT_THAT(WhyBad(http::error::buffer_overflow), IsRefused(431, "too long"));
  EXPECT_THAT(WhyBad(http::error::body_limit), IsRefused(413, "the body is too long"));
  EXPECT_THAT(WhyBad(http::error::bad_version), IsRefused(400, "this is no HTTP"));
}

TEST(RequestHeadTest, NothingIsSaidToWhoIsGone) {
  EXPECT_EQ(WhyBad(http::error::end_of_stream), std::nullopt);
  EXPECT_EQ(WhyBad(http::error::partial_message), std::nullopt);
  EXPECT_EQ(WhyBad(make_error_code(boost::system::errc::connection_reset)), std::nullopt);
}

}  // namespace
}  // namespace wharf
