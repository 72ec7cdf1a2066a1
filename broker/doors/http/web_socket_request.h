// WebSocketRequest: whether a request asks to leave HTTP for a WebSocket (RFC 6455 4.2.1), what is
// wrong with it if it cannot be, and of which sub-protocols. Pure functions.
//
//   GET /any/path
//   Connection: Upgrade         Upgrade: websocket         Sec-WebSocket-Version: 13
//   Sec-WebSocket-Key: ...      Sec-WebSocket-Protocol: one, another
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/http/exchange.h"

namespace wharf {

struct WebSocketRequest {
  // What it offers, in its order and as it was written there.
  std::vector<std::string> protocols{};
  // 0: it can be granted. Else the status that says why not.
  unsigned refusal = 0;
  std::string_view why{};
};

// Nothing: it asks for something else.
std::optional<WebSocketRequest> WebSocketRequestOf(const HttpRequest& head);

// A refusal with 426 says this, with Sec-WebSocket-Version.
inline constexpr const char* kWebSocketVersion = "13";

}  // namespace wharf
