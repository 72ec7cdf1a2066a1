// WebSocketWish: whether a request asks to speak AMQP over a WebSocket from now on (RFC 6455 4.2.1,
// LNK-10), and what is wrong with it if it cannot be. Pure function.
//
//   GET /$servicebus/websocket
//   Connection: Upgrade         Upgrade: websocket         Sec-WebSocket-Version: 13
//   Sec-WebSocket-Key: ...      Sec-WebSocket-Protocol: AMQPWSB10, amqp
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/http/exchange.h"

namespace wharf {

struct WebSocketWish {
  // The first of what it offers that we speak, as it was written there.
  std::string protocol{};
  // 0: it can be granted. Else the status that says why not.
  unsigned refusal = 0;
  std::string_view why{};
};

// `path`: of the request, without its escapes (target.h). Nothing: it asks for something else.
std::optional<WebSocketWish> WebSocketWishOf(const HttpRequest& head, std::string_view path);

}  // namespace wharf
