// What a browser is given of the page, and what it is told not to do with it.
#include "broker/doors/http/console/page.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::console {
namespace {

using ::testing::HasSubstr;

const std::vector<PageFile> kFiles = {
    {"/", "text/html; charset=utf-8", "\"a1\"", "page"},
    {"/page/b2.js", "text/javascript; charset=utf-8", "\"b2\"", "script"},
};

HttpResponse Get(const std::string& path, HttpFields fields = {}) {
  return PageAnswer({.method = "GET", .path = path, .fields = std::move(fields)}, kFiles,
                    NewTrackingId());
}

std::string FieldOf(const HttpResponse& response, const char* name) {
  const std::string* const value = FindField(response.fields, name);
  return value == nullptr ? "" : *value;
}

std::string BytesOf(HttpResponse response) {
  std::string all = response.body;
  while (response.pieces) {
    const std::string piece = response.pieces();
    if (piece.empty()) break;
    all += piece;
  }
  return all;
}

TEST(PageTest, ThePageIsAskedForAnewAndItsFilesNeverAgain) {
  HttpResponse page = Get("/");
  HttpResponse script = Get("/page/b2.js");

  EXPECT_EQ(FieldOf(page, "Cache-Control"), "no-cache");
  EXPECT_THAT(FieldOf(script, "Cache-Control"), HasSubstr("immutable"));
  EXPECT_EQ(FieldOf(script, "Content-Encoding"), "gzip");
  EXPECT_EQ(script.type, "text/javascript; charset=utf-8");
  EXPECT_EQ(BytesOf(std::move(page)), "page");
  EXPECT_EQ(BytesOf(std::move(script)), "script");
}

TEST(PageTest, WhoHasItIsToldSo) {
  EXPECT_EQ(Get("/", {{"If-None-Match", "\"a1\""}}).status, 304u);
  EXPECT_EQ(Get("/", {{"If-None-Match", "W/\"zz\", \"a1\""}}).status, 304u);
  EXPECT_EQ(Get("/", {{"If-None-Match", "\"a\""}}).status, 200u);
  EXPECT_EQ(FieldOf(Get("/", {{"If-None-Match", "\"a1\""}}), "ETag"), "\"a1\"");
}

TEST(PageTest, ItsPolicyLetsNothingInButItself) {
  const std::string policy = FieldOf(Get("/"), "Content-Security-Policy");

  EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self'; style-src 'self'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, HasSubstr("require-trusted-types-for 'script'"));
  EXPECT_THAT(policy, ::testing::Not(HasSubstr("unsafe")));
}

TEST(PageTest, WhoTakesNoGzipIsRefused) {
  EXPECT_EQ(Get("/", {{"Accept-Encoding", "br, gzip;q=0.5"}}).status, 200u);
  EXPECT_EQ(Get("/", {{"Accept-Encoding", "*"}}).status, 200u);
  EXPECT_EQ(Get("/", {{"Accept-Encoding", "identity"}}).status, 406u);
  EXPECT_EQ(Get("/", {{"Accept-Encoding", "gzip;q=0"}}).status, 406u);
}

TEST(PageTest, AFileThatIsNotThereIsNoPage) {
  EXPECT_EQ(Get("/page/../secret").status, 404u);
  EXPECT_FALSE(IsPagePath("/index.html"));
  EXPECT_TRUE(IsPagePath("/"));
}

TEST(PageTest, ABuildWithoutThePageSaysSo) {
  const HttpResponse response = PageAnswer({.method = "GET", .path = "/"}, {}, NewTrackingId());

  EXPECT_EQ(response.status, 404u);
  EXPECT_THAT(response.body, HasSubstr("built without the console's page, because Node was not"));
}

}  // namespace
}  // namespace wharf::console
