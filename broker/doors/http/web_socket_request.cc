#include "broker/doors/http/web_socket_request.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/str_split.h>

namespace wharf {
namespace {

constexpr std::size_t kKeyBytes = 16;
// In Base64, and without the blanks that a lenient reader passes over.
constexpr std::size_t kKeyTextBytes = 24;

std::string_view ValueOf(const HttpRequest& head, std::string_view name) {
  const std::string* const value = FindField(head.fields, name);
  return value == nullptr ? std::string_view() : *value;
}

bool Names(std::string_view list, std::string_view token) {
  for (const absl::string_view one :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(one), {token.data(), token.size()})) {
      return true;
    }
  }
  return false;
}

// A list may stand in several fields.
std::vector<std::string> ProtocolsOf(const HttpRequest& head) {
  std::vector<std::string> protocols;
  for (const auto& [name, value] : head.fields) {
    if (!absl::EqualsIgnoreCase(name, "Sec-WebSocket-Protocol")) continue;
    for (const absl::string_view one : absl::StrSplit(value, ',')) {
      protocols.emplace_back(absl::StripAsciiWhitespace(one));
    }
  }
  return protocols;
}

bool HasKey(const HttpRequest& head) {
  const std::string_view key = ValueOf(head, "Sec-WebSocket-Key");
  if (key.size() != kKeyTextBytes) return false;
  std::string bytes;
  return absl::Base64Unescape({key.data(), key.size()}, &bytes) && bytes.size() == kKeyBytes;
}

bool IsUpgrade(const HttpRequest& head) {
  return head.method == "GET" && Names(ValueOf(head, "Connection"), "upgrade") &&
         Names(ValueOf(head, "Upgrade"), "websocket");
}

}  // namespace

std::optional<WebSocketRequest> WebSocketRequestOf(const HttpRequest& head) {
  if (!IsUpgrade(head)) return std::nullopt;
  if (ValueOf(head, "Sec-WebSocket-Version") != kWebSocketVersion) {
    return WebSocketRequest{.refusal = 426, .why = "of WebSocket version 13 is spoken here"};
  }
  if (!HasKey(head)) return WebSocketRequest{.refusal = 400, .why = "Sec-WebSocket-Key is no key"};
  return WebSocketRequest{.protocols = ProtocolsOf(head)};
}

}  // namespace wharf
