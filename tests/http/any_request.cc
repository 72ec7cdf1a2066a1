#include "tests/http/any_request.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <absl/strings/ascii.h>

#include "broker/doors/http/atom/atom_place.h"
#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/incoming.h"
#include "broker/doors/http/rest/outgoing.h"
#include "broker/doors/http/rest/property_text.h"
#include "broker/doors/http/servicebus/asked_resource.h"
#include "broker/doors/http/servicebus/data_route.h"
#include "broker/doors/http/web_socket_frames.h"

namespace wharf {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// Up to `end`, which is taken off, too; all of it, if there is none.
std::string_view TakeUntil(std::string_view end, std::string_view& text) {
  const std::size_t at = text.find(end);
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  return piece;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isprint(c); });
}

// --- the first line

void TryPath(std::string_view method, const Target& target) {
  const auto route = DataRouteOf(method, target.path);
  // The lock in a path stands in answers, too.
  if (route) Require(LockTokenFrom(TextOf(route->token)) == route->token);
  const std::string asked = AskedResource(route, target.path);
  Require(asked.size() <= target.path.size());
  atom::PlaceOf(target.path);
  // One that begins or ends with a '/' that was escaped is no address of ours.
  const std::string& path = target.path;
  if (path.starts_with('/') || path.ends_with('/')) return;
  const Result<Target> again = ParseTarget('/' + EscapedPath(path), "");
  Require(!again.ok() || again->path == path);
}

// --- what it sends

void TryProperty(const PropertyValue& value) {
  const auto header = rest::HeaderOf(value);
  if (!header) return;
  Require(IsPrintable(*header));
  Require(rest::HeaderOf(rest::PropertyFrom(*header)) == header);
}

// As whoever receives it hears it.
void TryAnswer(Message message, const ServiceBusRequest& request) {
  auto stored = std::make_shared<StoredMessage>();
  stored->message = std::move(message);
  Delivered delivered;
  delivered.message = std::move(stored);
  const HttpResponse response = rest::ResponseOf(delivered, request, request.target.path);
  Require(IsPrintable(response.type));
  for (const auto& [name, value] : response.fields) {
    Require(!name.empty() && IsPrintable(name) && name.find_first_of(" :") == std::string::npos);
    Require(IsPrintable(value));
  }
  const std::string* const properties = FindField(response.fields, "BrokerProperties");
  if (properties == nullptr) return;
  Message again;
  Require(rest::TakeBrokerPropertiesHeader(*properties, again).ok());
}

void TryMessages(ServiceBusRequest& request) {
  Result<rest::Incoming> incoming = rest::IncomingOf(request);
  if (!incoming.ok()) return;
  for (Message& message : incoming->messages) {
    for (const auto& [name, value] : message.application_properties) TryProperty(value);
    TryAnswer(std::move(message), request);
  }
}

// --- frames

struct Carried {
  std::string bytes;
  std::optional<WebSocketCode> ending;
  friend bool operator==(const Carried&, const Carried&) = default;
};

// In pieces of so many bytes, as a reader goes on until there is an end.
Carried ReadIn(std::size_t piece_bytes, std::string_view bytes) {
  WebSocketFrames frames(WebSocketContent::kBinary);
  Carried carried;
  while (!bytes.empty() && !frames.ending()) {
    std::string piece(bytes.substr(0, piece_bytes));
    bytes.remove_prefix(piece.size());
    const std::size_t kept = frames.Take(piece.data(), piece.size());
    Require(kept <= piece.size());
    carried.bytes.append(piece, 0, kept);
    if (const auto ping = frames.TakePing()) Require(WebSocketPong(*ping).size() <= 127);
  }
  carried.ending = frames.ending();
  return carried;
}

}  // namespace

void TryAnyRequest(std::string_view text) {
  ServiceBusRequest request;
  request.origin = "https://h";
  std::string_view line = TakeUntil("\n", text);
  request.method = TakeUntil(" ", line);
  const std::string_view path = TakeUntil("?", line);
  Result<Target> target = ParseTarget(path, line);
  if (target.ok()) {
    TryPath(request.method, *target);
    request.target = *std::move(target);
  }
  while (!text.empty() && !(line = TakeUntil("\n", text)).empty()) {
    const std::string_view name = TakeUntil(": ", line);
    request.fields.emplace_back(name, line);
  }
  request.body = text;
  TryMessages(request);
}

void TryAnyFrames(std::string_view bytes) {
  const Carried whole = ReadIn(bytes.size() + 1, bytes);
  Require(ReadIn(1, bytes) == whole);
  Require(ReadIn(7, bytes) == whole);
}

}  // namespace wharf
