#include "broker/doors/http/servicebus/asked_resource.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

std::string Asked(std::string_view method, std::string_view path) {
  return AskedResource(DataRouteOf(method, path), path);
}

// For what a permit with this resource is good, of a rule that belongs to `home`.
std::string Good(const std::string& resource, const std::string& home, std::string_view method,
                 std::string_view path) {
  const auto permit = std::make_shared<const access::Permit>(
      access::Permit{.path = home, .rule = "r", .resource = resource});
  return PermitFor(permit, path, Asked(method, path))->resource;
}

TEST(AskedResourceTest, ARequestIsAboutAnEntityOrTheNamespace) {
  EXPECT_EQ(Asked("POST", "Q/messages/head"), "q");
  EXPECT_EQ(Asked("POST", "q/$DeadLetterQueue/messages/head"), "q/$deadletterqueue");
  EXPECT_EQ(Asked("GET", "Q"), "q");
  EXPECT_EQ(Asked("GET", "t/Subscriptions/s/Rules/r"), "t/subscriptions/s");
  EXPECT_EQ(Asked("GET", "t/Subscriptions/s/Rules"), "t/subscriptions/s");
  EXPECT_EQ(Asked("GET", "t/Subscriptions"), "t");
  EXPECT_EQ(Asked("GET", "$Resources/Queues"), "");
  EXPECT_EQ(Asked("GET", "$namespaceinfo"), "");
}

// SEC-6: as SDKs sign the whole URI.
TEST(AskedResourceTest, ATokenForTheUriOfARequestIsGoodForWhatItIsAbout) {
  EXPECT_EQ(Good("q/messages/head", "q", "POST", "Q/messages/head"), "q");
  EXPECT_EQ(Good("q/messages/head", "", "POST", "q/messages/head"), "q");
  EXPECT_EQ(Good("t/subscriptions/s/rules/r", "t", "GET", "t/Subscriptions/s/Rules/r"),
            "t/subscriptions/s");
  EXPECT_EQ(Good("$resources/queues", "", "GET", "$Resources/Queues"), "");
  // What is good already stays.
  EXPECT_EQ(Good("", "", "POST", "q/messages"), "");
  EXPECT_EQ(PermitFor(nullptr, "q/messages", "q"), nullptr);
}

TEST(AskedResourceTest, AndForNothingElse) {
  EXPECT_EQ(Good("q/messages/head", "q", "POST", "q/messages"), "q/messages/head");
  EXPECT_EQ(Good("p/messages", "", "POST", "q/messages"), "p/messages");
  // A rule of an entity whose name goes on is none of the shorter one.
  EXPECT_EQ(Good("q/messages", "q/messages", "POST", "q/messages"), "q/messages");
  EXPECT_EQ(Good("$resources/queues", "q", "GET", "$Resources/Queues"), "$resources/queues");
}

TEST(AskedResourceTest, WhatHasABodyTakesItsRightBeforeThat) {
  const auto right_of = [](std::string_view method, std::string_view path) {
    return RightBeforeBody(DataRouteOf(method, path), method);
  };
  EXPECT_EQ(right_of("POST", "q/messages"), access::Right::kSend);
  EXPECT_EQ(right_of("PUT", "q"), access::Right::kManage);
  EXPECT_EQ(right_of("PUT", "t/subscriptions/s/rules/r"), access::Right::kManage);
  EXPECT_EQ(right_of("DELETE", "q/messages/head"), std::nullopt);
  EXPECT_EQ(right_of("GET", "q"), std::nullopt);
}

}  // namespace
}  // namespace wharf
