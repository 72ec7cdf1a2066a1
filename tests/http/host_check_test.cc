#include "broker/doors/http/host_check.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

const HostCheck kCheck({"wharf.example.org", "[2001:db8::1]", "192.0.2.7"});

bool Allows(std::string_view host, std::string_view origin = "") {
  return kCheck.Check(host, origin, "http").ok();
}

TEST(HostCheckTest, LoopbackAndWhatIsConfiguredIsOurs) {
  for (const char* host : {"localhost", "LocalHost:9464", "127.0.0.1", "127.8.9.1:1", "[::1]",
                           "[::1]:9464", "wharf.example.org", "WHARF.example.org:80",
                           "[2001:DB8::1]", "[2001:db8:0::1]:9464", "192.0.2.7:9464"}) {
    EXPECT_TRUE(Allows(host)) << host;
  }
}

TEST(HostCheckTest, WhatIsNotIsRefused) {
  for (const char* host : {"",
                           ":",
                           ":80",
                           "evil.example",
                           "localhost.evil.example",
                           "evil.example:9464",
                           "10.0.0.1",
                           "[::]",
                           "[::1",
                           "::1",
                           "[127.0.0.1]",
                           "127.1",
                           "localhost:",
                           "localhost:9a",
                           "localhost:123456",
                           "localhost:80:80",
                           "a@localhost",
                           "localhost/",
                           "localhost ",
                           "wharf.example.org.",
                           "x.wharf.example.org",
                           "[::ffff:127.0.0.1]",
                           "[2001:db8::2]",
                           "2001:db8::1",
                           "[192.0.2.7]",
                           "192.0.2.8"}) {
    EXPECT_FALSE(Allows(host)) << host;
  }
}

TEST(HostCheckTest, APageOfAnotherOriginIsRefused) {
  EXPECT_TRUE(Allows("localhost:9464", "http://localhost:9464"));
  EXPECT_TRUE(Allows("localhost:9464", "HTTP://LOCALHOST:9464"));
  for (const char* origin : {"null", "http://evil.example", "https://localhost:9464",
                             "http://localhost", "http://localhost:9465", "http://127.0.0.1:9464",
                             "http://localhost:9464.evil.example", "localhost:9464"}) {
    EXPECT_FALSE(Allows("localhost:9464", origin)) << origin;
  }
}

}  // namespace
}  // namespace wharf
