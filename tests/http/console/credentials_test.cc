#include "broker/doors/http/console/credentials.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::console {
namespace {

using ::testing::HasSubstr;
using Kind = Credentials::Kind;

HttpRequest Post() {
  return {.method = "POST",
          .path = "/api/v1/Messaging/Send",
          .host = "localhost:8080",
          .fields = {{"X-Wharf-Request", "1"}}};
}

// Why it is refused; "" if it is not.
std::string WhyNot(const HttpRequest& head, bool is_open = false,
                   const std::vector<std::string>& hosts = {}) {
  const Status status = CheckPage(head, CredentialsOf(head), is_open, HostCheck(hosts));
  EXPECT_TRUE(status.ok() || status.code() == ErrorCode::kForbidden);
  return status.message();
}

TEST(CredentialsTest, AuthorizationComesBeforeACookieAndThatBeforeACertificate) {
  HttpRequest head{.subject = "CN=me", .scheme = "https"};
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kCertificate);
  EXPECT_EQ(CredentialsOf(head).text, "CN=me");

  head.fields = {{"Cookie", "a=b; __Host-wharf-session=abc; c=d"}};
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kSession);
  EXPECT_EQ(CredentialsOf(head).text, "abc");
  EXPECT_FALSE(CredentialsOf(head).is_explicit);

  head.authorization = "SharedAccessSignature sr=x";
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kToken);
  head.authorization = "session  xyz ";
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kSession);
  EXPECT_EQ(CredentialsOf(head).text, "xyz");
  EXPECT_TRUE(CredentialsOf(head).is_explicit);
}

TEST(CredentialsTest, ACookieCountsOverTlsOnlyAndByItsWholeName) {
  HttpRequest head{.fields = {{"Cookie", "__Host-wharf-session=abc"}}};
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kNone);

  head.scheme = "https";
  head.fields = {{"Cookie", "__Host-wharf-session="}, {"cookie", "__Host-wharf-session=abc"}};
  EXPECT_EQ(CredentialsOf(head).text, "abc");
  head.fields = {{"Cookie", "x__Host-wharf-session=abc; __Host-wharf-sessions=abc"}};
  EXPECT_EQ(CredentialsOf(head).kind, Kind::kNone);
}

TEST(CredentialsTest, TheCookieIsForThisHostAndTlsAndNoScript) {
  EXPECT_EQ(CookieOf("abc"), "__Host-wharf-session=abc; Path=/; Secure; HttpOnly; SameSite=Strict");
  EXPECT_THAT(CookieThatEnds(), HasSubstr("Max-Age=0"));
}

TEST(CheckPageTest, WhatMayChangeSomethingSaysSo) {
  HttpRequest head = Post();
  EXPECT_EQ(WhyNot(head), "");
  head.fields = {};
  EXPECT_THAT(WhyNot(head), HasSubstr("X-Wharf-Request"));
  head.authorization = "SharedAccessSignature sr=x";
  EXPECT_THAT(WhyNot(head), HasSubstr("X-Wharf-Request"));
  head.method = "DELETE";
  EXPECT_THAT(WhyNot(head), HasSubstr("X-Wharf-Request"));
  head.method = "GET";
  EXPECT_EQ(WhyNot(head), "");
}

TEST(CheckPageTest, APageOfAnotherOriginIsRefusedWhateverItBrings) {
  for (const char* authorization : {"", "Session abc", "SharedAccessSignature sr=x"}) {
    HttpRequest head = Post();
    head.authorization = authorization;
    head.origin = "http://localhost:8080";
    EXPECT_EQ(WhyNot(head), "");
    for (const char* origin : {"http://evil.example", "https://localhost:8080", "null",
                               "http://localhost:8081", "http://localhost"}) {
      head.origin = origin;
      EXPECT_THAT(WhyNot(head), HasSubstr("another origin")) << origin << authorization;
    }
  }
}

TEST(CheckPageTest, ANameThatSuddenlyMeansThisMachineIsRefused) {
  HttpRequest head = Post();
  head.host = "evil.example:8080";
  head.origin = "http://evil.example:8080";
  EXPECT_THAT(WhyNot(head), HasSubstr("http-hosts"));
  head.subject = "CN=me";
  EXPECT_THAT(WhyNot(head), HasSubstr("http-hosts"));
  EXPECT_EQ(WhyNot(head, false, {"evil.example"}), "") << "it is ours after all";

  head.authorization = "Session abc";
  EXPECT_EQ(WhyNot(head), "") << "no page has that of itself";
  EXPECT_THAT(WhyNot(head, true), HasSubstr("http-hosts")) << "nobody looks at it";
}

}  // namespace
}  // namespace wharf::console
