// Which requests ask for a WebSocket, and what is wrong with those that ask badly.
#include "broker/doors/http/servicebus/web_socket_wish.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr const char* kPath = "$servicebus/websocket";

HttpRequest Upgrade(const std::string& protocol) {
  return {.method = "GET",
          .fields = {{"Connection", "keep-alive, Upgrade"},
                     {"Upgrade", "WebSocket"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                     {"Sec-WebSocket-Protocol", protocol}}};
}
HttpRequest With(const std::string& name, const std::string& value) {
  HttpRequest head = Upgrade("amqp");
  for (auto& [known, old] : head.fields) {
    if (known == name) old = value;
  }
  return head;
}
std::string ProtocolFor(const std::string& offered) {
  const auto wish = WebSocketWishOf(Upgrade(offered), kPath);
  return wish ? wish->protocol : "none";
}
unsigned RefusalOf(const HttpRequest& head) {
  const auto wish = WebSocketWishOf(head, kPath);
  return wish ? wish->refusal : 1;
}

TEST(WebSocketWishTest, TheFirstProtocolThatWeSpeakIsTakenAsItIsWritten) {
  EXPECT_EQ(ProtocolFor("AMQPWSB10"), "AMQPWSB10");
  EXPECT_EQ(ProtocolFor("amqp"), "amqp");
  EXPECT_EQ(ProtocolFor("mqtt, AMQP ,AMQPWSB10"), "AMQP");

  HttpRequest twice = Upgrade("mqtt");
  twice.fields.emplace_back("sec-websocket-protocol", "amqpwsb10");
  EXPECT_EQ(WebSocketWishOf(twice, kPath)->protocol, "amqpwsb10");
}

TEST(WebSocketWishTest, WhatAsksBadlyHearsWhy) {
  EXPECT_EQ(RefusalOf(Upgrade("amqp")), 0U);
  EXPECT_EQ(RefusalOf(Upgrade("mqtt")), 400U);
  EXPECT_EQ(RefusalOf(Upgrade("")), 400U);
  EXPECT_EQ(RefusalOf(Upgrade("amqpx")), 400U);
  EXPECT_EQ(RefusalOf(With("Sec-WebSocket-Version", "8")), 426U);
  EXPECT_EQ(RefusalOf(With("Sec-WebSocket-Key", "short")), 400U);
  EXPECT_EQ(RefusalOf(With("Sec-WebSocket-Key", std::string(5000, 'A'))), 400U);
  EXPECT_EQ(RefusalOf(With("Sec-WebSocket-Key", "dGhlIHNh \t bXBsZSBub25jZQ==")), 400U);
  EXPECT_EQ(RefusalOf(With("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j    ")), 400U);
}

// It is then a request for an entity of that path.
TEST(WebSocketWishTest, WhatDoesNotAskForOneIsLeftAlone) {
  EXPECT_TRUE(WebSocketWishOf(Upgrade("amqp"), "$ServiceBus/WebSocket").has_value());
  EXPECT_FALSE(WebSocketWishOf(Upgrade("amqp"), "orders").has_value());
  EXPECT_FALSE(WebSocketWishOf(Upgrade("amqp"), "$servicebus/websocket/messages").has_value());
  EXPECT_FALSE(WebSocketWishOf(With("Upgrade", "h2c"), kPath).has_value());
  EXPECT_FALSE(WebSocketWishOf(With("Connection", "close"), kPath).has_value());
  HttpRequest put = Upgrade("amqp");
  put.method = "PUT";
  EXPECT_FALSE(WebSocketWishOf(put, kPath).has_value());
}

}  // namespace
}  // namespace wharf
