#include "broker/trace/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::trace {
namespace {

using ::testing::HasSubstr;

TEST(EndpointTest, WithoutAPathItIsThatOfOtlp) {
  const Endpoint collector{false, "127.0.0.1", "4318", "/v1/traces"};

  EXPECT_EQ(*ParseEndpoint("http://127.0.0.1:4318"), collector);
  EXPECT_EQ(*ParseEndpoint("http://127.0.0.1:4318/"), collector);
  EXPECT_EQ(*ParseEndpoint("http://127.0.0.1:4318/v1/traces"), collector);
  EXPECT_EQ(*ParseEndpoint("http://[::1]:1/in?tenant=a"),
            (Endpoint{false, "::1", "1", "/in?tenant=a"}));
  EXPECT_EQ(ParseEndpoint("http://otel.example.org:4318")->host, "otel.example.org");
  EXPECT_EQ(*ParseEndpoint("https://otel.example.org:4318"),
            (Endpoint{true, "otel.example.org", "4318", "/v1/traces"}));
}

TEST(EndpointTest, WhatIsNoneIsRefusedWithTheReason) {
  EXPECT_THAT(ParseEndpoint("http://a").status().message(), HasSubstr("port is missing"));
  for (const char* bad :
       {"", "a:4318", "ftp://a:1", "http://", "http://:4318", "http://a:", "http://a:0",
        "http://a:65536", "http://a:4318x", "http://u:p@a:4318", "http://::1:4318", "http://[]:1",
        "https://a", "https://:1", "http://a:1/b c", "http://a:1/b\r\nX: y", "http://a b:1",
        "http://a:1/#b"}) {
    EXPECT_EQ(ParseEndpoint(bad).status().code(), ErrorCode::kArgumentError) << bad;
  }
}

}  // namespace
}  // namespace wharf::trace
