#include "broker/doors/http/servicebus/web_socket_wish.h"

#include <algorithm>

#include <absl/strings/match.h>

#include "broker/doors/http/web_socket_request.h"

namespace wharf {
namespace {

constexpr std::string_view kPath = "$servicebus/websocket";

bool IsOurs(absl::string_view protocol) {
  return absl::EqualsIgnoreCase(protocol, "AMQPWSB10") || absl::EqualsIgnoreCase(protocol, "amqp");
}

}  // namespace

std::optional<WebSocketWish> WebSocketWishOf(const HttpRequest& head, std::string_view path) {
  if (!absl::EqualsIgnoreCase({path.data(), path.size()}, {kPath.data(), kPath.size()})) {
    return std::nullopt;
  }
  const std::optional<WebSocketRequest> request = WebSocketRequestOf(head);
  if (!request) return std::nullopt;
  if (request->refusal != 0) {
    return WebSocketWish{.refusal = request->refusal, .why = request->why};
  }
  const auto& offered = request->protocols;
  const auto ours = std::find_if(offered.begin(), offered.end(),
                                 [](const std::string& protocol) { return IsOurs(protocol); });
  if (ours == offered.end()) {
    return WebSocketWish{.refusal = 400,
                         .why = "the sub-protocol of a WebSocket here is AMQPWSB10 or amqp"};
  }
  return WebSocketWish{.protocol = *ours};
}

}  // namespace wharf
